// The client of one scan thread, on the main thread. It sends one slice at a time.
import { type ThreadEnded, WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { EngineError } from '../../engine-error.js';
import { unpackReadError } from '../file/storage-failure.js';
import type { ScanFindings, ScanReply, ScanRequest, ScanSettings } from './scan-messages.js';

/** A slice that waits to be run; settled once. */
export interface WaitingSlice {
  readonly request: ScanRequest;
  readonly resolve: (result: ScanFindings) => void;
  readonly reject: (error: unknown) => void;
}

/** The owner of a thread client, which assigns slices. */
export interface ScanThreadClientOwner {
  /** The thread has finished its slice and can take another one. */
  onIdle(): void;
  /** The thread ended unexpectedly; its slice is rejected. */
  onEnd(client: ScanThreadClient): void;
}

export class ScanThreadClient {
  readonly #thread: WorkerThread<ScanRequest, ScanReply>;
  #running: WaitingSlice | undefined;

  private constructor(thread: WorkerThread<ScanRequest, ScanReply>, owner: ScanThreadClientOwner) {
    this.#thread = thread;
    thread.listen({
      onReply: (reply) => {
        this.#settle(reply);
        owner.onIdle();
      },
      onEnd: (ended) => {
        this.#refuse(ended);
        owner.onEnd(this);
      },
    });
  }

  /** Starts a thread. Rejects with an EngineError. */
  static async start(settings: ScanSettings, owner: ScanThreadClientOwner): Promise<ScanThreadClient> {
    const module = new URL('./scan-thread.js', import.meta.url);
    const thread = new WorkerThread<ScanRequest, ScanReply>({ name: 'the scan thread', module, settings });
    try {
      await thread.ready;
    } catch (error) {
      throw new EngineError('readFailed', 'the scan thread could not start', error);
    }
    return new ScanThreadClient(thread, owner);
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Runs a slice. Call it only while the thread is idle. */
  run(slice: WaitingSlice): void {
    this.#running = slice;
    this.#thread.post(slice.request);
  }

  /** Waits for the running slice and ends the thread. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #settle(reply: ScanReply): void {
    const settled = this.#running;
    this.#running = undefined;
    if ('rows' in reply) settled?.resolve(reply);
    else settled?.reject(unpackReadError(reply.failure, 'a read failed in the scan thread'));
  }

  #refuse(ended: ThreadEnded): void {
    this.#running?.reject(new EngineError('readFailed', 'the scan thread failed', ended));
    this.#running = undefined;
  }
}
