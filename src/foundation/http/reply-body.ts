// Sends the body of a reply in pieces, as fast as its reader takes them.
import type { ServerResponse } from 'node:http';
import type { Transfer } from './transfer-watch.js';

/** What the socket is given at a time. */
const pieceBytes = 64 * 1024;

/** A body on its way. The head of the response was written and names its length. */
export class ReplyBody implements Transfer {
  readonly #response: ServerResponse;
  readonly #body: Uint8Array;
  movedBytes = 0;

  constructor(response: ServerResponse, body: Uint8Array) {
    this.#response = response;
    this.#body = body;
  }

  /** Sends it, and ends the response behind it. */
  send(): void {
    this.#response.on('drain', () => this.#sendSome());
    this.#sendSome();
  }

  cutOff(): void {
    this.#response.destroy();
  }

  #sendSome(): void {
    const { length } = this.#body;
    while (this.movedBytes < length) {
      const piece = this.#body.subarray(this.movedBytes, this.movedBytes + pieceBytes);
      this.movedBytes += piece.length;
      if (this.movedBytes === length) this.#response.end(piece);
      else if (!this.#response.write(piece)) return;
    }
  }
}
