// Signals that end work after a time.

/** A signal that is aborted after so many ms, or when another one is. */
export function limitedSignal(ms: number, ending: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  // Node 20 collects a timeout that only a combined signal uses, which is then never aborted. A listener keeps it.
  limit.addEventListener('abort', () => {});
  return AbortSignal.any([ending, limit]);
}
