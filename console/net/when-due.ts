// Waits before something is loaded again: no request begins while one is under way, or while the tab is hidden.

/**
 * Calls `begin` once after `delayMs`. In a hidden tab the call waits until the tab is shown. The returned function
 * cancels the call.
 */
export function whenDue(delayMs: number, begin: () => void): () => void {
  let isDue = false;
  const passIfShown = () => {
    if (!isDue || document.hidden) return;
    removeEventListener('visibilitychange', passIfShown);
    begin();
  };
  const timer = setTimeout(() => {
    isDue = true;
    passIfShown();
  }, delayMs);
  addEventListener('visibilitychange', passIfShown);
  return () => {
    clearTimeout(timer);
    removeEventListener('visibilitychange', passIfShown);
  };
}
