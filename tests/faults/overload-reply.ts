// Takes replies apart as they come, holding only their beginnings: some are larger than who reads them should hold.

/** A reply that came whole. */
export interface WholeReply {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  /** The codes of the errors in its envelope. */
  readonly errorCodes: readonly string[];
  readonly bodyBytes: number;
  /** The first of its text. */
  readonly beginning: string;
}

const headEnd = '\r\n\r\n';
const heldBytes = 64 * 1024;
const shownCharacters = 300;

interface ReplyUnderWay {
  readonly head: string;
  /** Bytes of the body, or of the chunk, that are still to come. */
  missing: number;
  readonly isChunked: boolean;
  bodyBytes: number;
  readonly held: Buffer[];
  heldBytes: number;
}

/** The replies of one connection, one after the other. */
export class ReplyReader {
  #pending: Buffer = Buffer.alloc(0);
  #current: ReplyUnderWay | undefined;
  readonly #whole: WholeReply[] = [];
  /** The bytes of everything so far. */
  receivedBytes = 0;

  /** The oldest whole reply that was not taken yet. */
  take(): WholeReply | undefined {
    return this.#whole.shift();
  }

  /** @throws Error when it is not HTTP */
  push(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#step());
  }

  /** Whether it got on. */
  #step(): boolean {
    if (this.#current === undefined) return this.#readHead();
    if (this.#current.missing > 0) return this.#readBody(this.#current);
    return this.#current.isChunked ? this.#readChunkHead(this.#current) : this.#finish(this.#current);
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf(headEnd);
    if (end < 0) return false;
    const head = this.#pending.toString('latin1', 0, end).toLowerCase();
    if (!head.startsWith('http/1.1 ')) throw new Error(`no HTTP: ${head.slice(0, 100)}`);
    this.#pending = this.#pending.subarray(end + headEnd.length);
    if (head.startsWith('http/1.1 100')) return true;
    const missing = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
    const isChunked = /\r\ntransfer-encoding: *chunked/.test(head);
    this.#current = { head, missing, isChunked, bodyBytes: 0, held: [], heldBytes: 0 };
    return true;
  }

  #readBody(current: ReplyUnderWay): boolean {
    if (this.#pending.length === 0) return false;
    const part = this.#pending.subarray(0, current.missing);
    this.#pending = this.#pending.subarray(part.length);
    current.missing -= part.length;
    current.bodyBytes += part.length;
    if (current.heldBytes < heldBytes) {
      const held = Buffer.from(part.subarray(0, heldBytes - current.heldBytes));
      current.held.push(held);
      current.heldBytes += held.length;
    }
    return true;
  }

  /** The line before a chunk, behind the end of the one before. */
  #readChunkHead(current: ReplyUnderWay): boolean {
    const match = /^(?:\r\n)?([0-9a-f]+)[^\r\n]*\r\n/i.exec(this.#pending.toString('latin1', 0, 64));
    if (match === null) {
      if (this.#pending.length > 64) throw new Error('a chunk without its size');
      return false;
    }
    const size = Number.parseInt(match[1] ?? '', 16);
    if (size > 0) {
      this.#pending = this.#pending.subarray(match[0].length);
      current.missing = size;
      return true;
    }
    // Trailers are not read: nobody here sends any.
    if (this.#pending.length < match[0].length + 2) return false;
    this.#pending = this.#pending.subarray(match[0].length + 2);
    return this.#finish(current);
  }

  #finish({ head, bodyBytes, held }: ReplyUnderWay): boolean {
    this.#current = undefined;
    const text = Buffer.concat(held).toString();
    // Errors stand at the beginning: beside them there are no data.
    const codes = text.includes('"errors":[') ? [...text.matchAll(/"errorCode":"(\w+)"/g)] : [];
    this.#whole.push({
      status: Number(head.slice(9, 12)),
      hasRetryAfter: /\r\nretry-after:/.test(head),
      errorCodes: codes.map((match) => match[1] ?? ''),
      bodyBytes,
      beginning: text.slice(0, shownCharacters),
    });
    return true;
  }
}
