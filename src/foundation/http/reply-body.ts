// Sends the body of a reply in pieces, as fast as the client reads them: from memory, or from a file.
import type { ServerResponse } from 'node:http';
import { type FileVersion, readPiece } from './file-pieces.js';
import type { Transfer } from './transfer-watch.js';

/** The bytes that are passed to the socket at a time. */
export const pieceBytes = 64 * 1024;

/** A body that is being sent. The head of the response has been written, with the content length. */
export class ReplyBody implements Transfer {
  readonly #response: ServerResponse;
  readonly #body: Uint8Array;
  movedBytes = 0;

  constructor(response: ServerResponse, body: Uint8Array) {
    this.#response = response;
    this.#body = body;
  }

  /** Sends the body and ends the response. */
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

/**
 * A file that is being sent. The head of the response has been written, with the content length. One piece is in
 * memory.
 */
export class FileBody implements Transfer {
  readonly #response: ServerResponse;
  readonly #file: FileVersion;
  movedBytes = 0;

  constructor(response: ServerResponse, file: FileVersion) {
    this.#response = response;
    this.#file = file;
  }

  /**
   * Sends the file and ends the response; resolves early when the client disconnects. @throws the errors of `readPiece`
   */
  async send(): Promise<void> {
    const { sizeBytes } = this.#file;
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, sizeBytes));
    while (this.movedBytes < sizeBytes) {
      const length = await readPiece(this.#file, piece, this.movedBytes);
      if (this.#response.destroyed) return;
      await this.#write(piece.subarray(0, length));
      this.movedBytes += length;
    }
    this.#response.end();
  }

  cutOff(): void {
    this.#response.destroy();
  }

  /**
   * Resolves when the system has accepted the piece, so that its memory can be reused, or the client has disconnected.
   */
  #write(piece: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#response.off('close', end);
        resolve();
      };
      this.#response.once('close', end);
      this.#response.write(piece, end);
    });
  }
}
