// The worker's side of a worker process; `worker-process.ts` is the owner's side.

/** The channel from a worker process to its owner. */
export interface OwnerChannel<Message> {
  /** Sends a plain value, which is copied. */
  post(message: Message): void;
}

/**
 * Serves the owner of this process: `open` returns the function for its messages. Signals for the whole group of
 * processes, as of a terminal or a supervisor, are ignored: the owner decides when its workers stop.
 */
export function serveProcess<Message extends object>(
  open: (owner: OwnerChannel<Message>) => (message: Message) => void,
): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  // An owner that has ended gets nothing, and this process ends.
  const post = (message: Message | 'ready') => process.send?.(message, undefined, undefined, () => {});
  process.on('message', open({ post }));
  post('ready');
}
