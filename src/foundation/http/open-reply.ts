// The body of a reply that is written as time goes by.
import type { ServerResponse } from 'node:http';
import type { ReplyStream } from './http-handler.js';

/** Writes to a response until its reader leaves or lags too far behind. */
export class OpenReply implements ReplyStream {
  readonly #response: ServerResponse;
  readonly #maxBehindBytes: number;

  constructor(response: ServerResponse, maxBehindBytes: number) {
    this.#response = response;
    this.#maxBehindBytes = maxBehindBytes;
  }

  get behindBytes(): number {
    return this.#response.writableLength;
  }

  write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(text);
    if (this.#response.writableLength > this.#maxBehindBytes) this.#response.destroy();
  }

  end(): void {
    if (!this.#response.destroyed) this.#response.end();
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }
}
