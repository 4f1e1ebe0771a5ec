// The main thread's side of one scan thread, which runs one slice at a time.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { EngineError } from '../../engine-error.js';
import { unpackFailure } from '../file/thread-failure.js';
import type { ScanFindings, ScanReply, ScanRequest, ScanSettings } from './scan-messages.js';

/** A slice to be run; settled once. */
export interface WaitingSlice {
  readonly request: ScanRequest;
  readonly resolve: (result: ScanFindings) => void;
  readonly reject: (error: unknown) => void;
}

/** Who hands slices out. */
export interface ScanLaneOwner {
  /** The lane has settled its slice and takes another one. */
  onIdle(): void;
  /** The lane ended unasked; it has refused its slice. */
  onEnd(lane: ScanLane): void;
}

/** A scan thread. */
export class ScanLane {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  #running: WaitingSlice | undefined;

  private constructor(worker: Worker, owner: ScanLaneOwner) {
    this.#worker = worker;
    worker.on('message', (reply: ScanReply) => {
      this.#settle(reply);
      owner.onIdle();
    });
    const end = (error: Error) => {
      this.#running?.reject(new EngineError('readFailed', 'the scan thread failed', error));
      this.#running = undefined;
      owner.onEnd(this);
    };
    worker.on('error', end);
    this.#exited = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        end(new Error('the scan thread ended'));
        resolve();
      });
    });
  }

  /** Starts a thread. Rejects with an EngineError. */
  static async start(settings: ScanSettings, owner: ScanLaneOwner): Promise<ScanLane> {
    const worker = new Worker(new URL('./scan-thread.js', import.meta.url), { workerData: settings });
    try {
      await once(worker, 'message');
    } catch (error) {
      throw new EngineError('readFailed', 'the scan thread could not start', error);
    }
    return new ScanLane(worker, owner);
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Runs a slice; only while the lane is idle. */
  run(slice: WaitingSlice): void {
    this.#running = slice;
    this.#worker.postMessage(slice.request);
  }

  /** Waits for the running slice, ends the thread. */
  async close(): Promise<void> {
    this.#worker.postMessage('close');
    await this.#exited;
  }

  #settle(reply: ScanReply): void {
    const settled = this.#running;
    this.#running = undefined;
    if ('rows' in reply) settled?.resolve(reply);
    else settled?.reject(unpackFailure(reply.failure, 'a read failed in the scan thread'));
  }
}
