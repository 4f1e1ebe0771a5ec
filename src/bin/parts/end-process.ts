// Ends the process of a server, also if a call of the system keeps one of its threads.

const abortMs = 1_000;

/**
 * Ends the process with an exit code. `isKept`: a thread cannot end, for which `process.exit` would wait; then a signal
 * ends the process. For the code 0 this is SIGTERM, which supervisors count as a clean end. The first process of a
 * container cannot end itself by a signal, so it aborts.
 */
export function endProcess(code: 0 | 1, isKept: boolean): void {
  if (!isKept) process.exit(code);
  const signal = code === 0 ? 'SIGTERM' : 'SIGKILL';
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.abort(), abortMs);
}
