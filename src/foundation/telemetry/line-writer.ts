// Writes lines to a file descriptor synchronously. If that fails, it counts the line and continues.
import { writeSync } from 'node:fs';

/** The maximum size of the lines that wait for a slow reader. */
const maxWaitingBytes = 256 * 1024;
const retryMs = 100;
const newline = 10;

/** Writes some of the bytes and returns their number. @throws an error with the `code` of the operating system */
type WriteSome = (fd: number, bytes: Uint8Array) => number;

/**
 * Writes lines without ever throwing. While a pipe is full, lines wait in bounded memory. Lines are lost if that memory
 * is full, and if the reader is gone or the disk is full.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #onLost: (lines: number) => void;
  readonly #writeSome: WriteSome;
  #waiting: Buffer = Buffer.alloc(0);
  #isInsideLine = false;
  #lost = 0;
  #retry: NodeJS.Timeout | undefined;

  /** `onLost` gets the number of lost lines as soon as lines can be written again; it may write one. */
  constructor(fd: number, onLost: (lines: number) => void, writeSome: WriteSome = writeSync) {
    this.#fd = fd;
    this.#onLost = onLost;
    this.#writeSome = writeSome;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    const isTooMuch = this.#waiting.length > 0 && this.#waiting.length + bytes.length > maxWaitingBytes;
    if (isTooMuch) this.#lost += 1;
    else this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      while (this.#waiting.length > 0) {
        const written = this.#writeSome(this.#fd, this.#waiting);
        if (written > 0) this.#isInsideLine = this.#waiting[written - 1] !== newline;
        this.#waiting = this.#waiting.subarray(written);
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') {
        this.#retry = setTimeout(() => this.#flush(), retryMs).unref();
        return;
      }
      this.#lost += linesIn(this.#waiting);
      // The next entry begins on a new line.
      this.#waiting = Buffer.from(this.#isInsideLine ? [newline] : []);
      return;
    }
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.#onLost(lost);
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines += 1;
  return lines;
}
