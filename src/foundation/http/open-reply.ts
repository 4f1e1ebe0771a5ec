// The body of a reply that is written over time.
import type { ServerResponse } from 'node:http';
import type { ReplyStream } from './http-handler.js';

/** Writes to a response until the client disconnects or lags too far behind, or the writing code fails. */
export class OpenReply implements ReplyStream {
  readonly #response: ServerResponse;
  readonly #maxBehindBytes: number;
  readonly #onFailure: (error: unknown) => void;
  /** Bytes of all pieces so far. */
  #written = 0;
  /** The longest piece under way, and where it ends: a piece longer than the limit is not the client's fault. */
  #longest = { bytes: 0, end: 0 };

  /** `onFailure` gets the errors of the stream's own work. */
  constructor(response: ServerResponse, maxBehindBytes: number, onFailure: (error: unknown) => void) {
    this.#response = response;
    this.#maxBehindBytes = maxBehindBytes;
    this.#onFailure = onFailure;
  }

  /** Does work of this stream. If it throws, only this stream is cut off. */
  run(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onFailure(error);
      this.#response.destroy();
    }
  }

  get behindBytes(): number {
    return this.#response.writableLength;
  }

  write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    const before = this.behindBytes;
    if (this.#written - before >= this.#longest.end) this.#longest = { bytes: 0, end: 0 };
    if (before > this.#maxBehindBytes + this.#longest.bytes) {
      this.#response.destroy();
      return;
    }
    this.#response.write(text);
    const bytes = this.behindBytes - before;
    this.#written += bytes;
    if (bytes > this.#longest.bytes) this.#longest = { bytes, end: this.#written };
  }

  end(): void {
    if (!this.#response.destroyed) this.#response.end();
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', () => this.run(listener));
  }

  onClose(listener: () => void): void {
    this.#response.once('close', () => this.run(listener));
  }
}
