// The thread's side of a worker thread; `worker-thread.ts` is the owner's side.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { giveWay } from './give-way.js';
import type { Moved } from './worker-thread.js';

/** Handles the messages of the owner. An error that it throws ends the thread, and the owner gets the error. */
export interface ThreadWork<Request> {
  /** Called for each request, in order; while `close` waits also for those that arrive later. */
  receive(request: Request): void;
  /** Called once, after all requests that the owner sent before it requested the end. */
  close(): void | Promise<void>;
}

/** The port from a thread to its owner. */
export interface OwnerPort<Request, Reply> {
  post(reply: Reply, moved?: Moved): void;
  /** Takes the requests that have arrived and wait out of the queue. */
  takeWaiting(): Iterable<Request>;
  /** Whether the owner has requested the end; for threads that work without requests. */
  isEndRequested(): boolean;
}

/**
 * Serves the owner of this thread: calls `open` with the owner's settings; when it has returned or its promise is
 * fulfilled, the owner's `ready` resolves. The thread ends by itself when `close` is done: ending it from outside,
 * during a statement of SQLite, would abort the process. Does nothing in the main thread, which only loads the module.
 */
export function serveThread<Settings, Request extends object, Reply extends object>(
  open: (
    settings: Settings,
    owner: OwnerPort<Request, Reply>,
  ) => ThreadWork<Request> | Promise<ThreadWork<Request>>,
  { niceness }: { readonly niceness?: number } = {},
): void {
  if (parentPort === null) return;
  const port = parentPort;
  if (niceness !== undefined) giveWay(niceness);
  let isAsked = false;
  let isClosing = false;
  const owner: OwnerPort<Request, Reply> = {
    post: (reply, moved) => port.postMessage(reply, moved),
    *takeWaiting() {
      while (!isAsked) {
        const received: { readonly message: Request | 'close' } | undefined = receiveMessageOnPort(port);
        if (received === undefined) return;
        if (received.message === 'close') isAsked = true;
        else yield received.message;
      }
    },
    isEndRequested: () => {
      for (const request of owner.takeWaiting()) throw new TypeError(`a request for nobody: ${request}`);
      return isAsked;
    },
  };
  const begin = (work: ThreadWork<Request>) => {
    const close = async () => {
      await work.close();
      port.postMessage('closed');
      port.close();
    };
    const closeIfAsked = () => {
      if (!isAsked || isClosing) return;
      isClosing = true;
      void close(); // an error in `close` ends the thread with that error
    };
    port.on('message', (message: Request | 'close') => {
      if (message === 'close') isAsked = true;
      else work.receive(message);
      closeIfAsked();
    });
    port.postMessage('ready');
    closeIfAsked(); // `open` may have taken the message
  };
  // The owner's `ThreadStart` has settings of this type.
  const opened = open(workerData as Settings, owner);
  if (opened instanceof Promise) void opened.then(begin);
  else begin(opened);
}
