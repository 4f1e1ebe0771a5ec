// A raw HTTP client that may be as rude as it likes: it sends in parts, reads late or never, and says how it ended.
import { connect, type Socket } from 'node:net';
import { ReplyReader, type WholeReply } from './overload-reply.js';

/** What came of a request, as its sender saw it. */
export type Outcome =
  | ({ readonly kind: 'reply' } & WholeReply)
  /** The connection ended before the whole reply was there. */
  | { readonly kind: 'cut'; readonly reason: string }
  /** Nothing more came for so long that the client gave up. */
  | { readonly kind: 'late'; readonly reason: string };

/** Where a request goes. */
export interface RequestTarget {
  /** Without it POST. */
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
}

/** The head of a request with a body of so many bytes. */
export function requestHead(
  { method = 'POST', path, token = 'overload' }: RequestTarget,
  bodyBytes: number,
): Buffer {
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nToken: ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${bodyBytes}\r\n\r\n`,
  );
}

/** One connection. Nothing is read of it before the first `read`. */
export class RudeClient {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  #end: string | undefined;
  #wake = (): void => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', (error: NodeJS.ErrnoException) => this.#takeEnd(error.code ?? error.message));
    socket.on('close', () => this.#takeEnd('closed'));
  }

  /** Connects to a port of this machine; rejects when it cannot. */
  static connect(port: number): Promise<RudeClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RudeClient(socket));
      });
    });
  }

  /** Whether the connection has ended, as far as it shows to one that may not read. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  write(bytes: Uint8Array): void {
    if (this.#end === undefined) this.#socket.write(bytes);
  }

  /** Ends its side of the connection and continues to read as before. */
  endSending(): void {
    this.#socket.end();
  }

  /** The next whole reply, or how the connection ended. */
  async read(timeoutMs: number): Promise<Outcome> {
    this.startReading();
    const reply = await this.#waitFor(() => this.#reader.take(), timeoutMs);
    if (reply !== undefined) return { kind: 'reply', ...reply };
    const seen = `${this.#reader.receivedBytes} bytes came`;
    if (this.#end !== undefined) return { kind: 'cut', reason: `${this.#end}, ${seen}` };
    return { kind: 'late', reason: `no reply for ${timeoutMs} ms, ${seen}` };
  }

  /** Takes what comes; without it the socket holds only what the system holds for it. */
  startReading(): void {
    if (this.#socket.listenerCount('data') > 0) return;
    this.#socket.on('data', (chunk: Buffer) => {
      try {
        this.#reader.push(chunk);
      } catch (error) {
        this.#takeEnd(error instanceof Error ? error.message : String(error));
        this.#socket.destroy();
      }
      this.#wake();
    });
  }

  /** Reads what is there at most so fast, until the connection ends or a whole reply is there or the time is up. */
  async readSlowly(bytesPerSecond: number, timeoutMs: number): Promise<Outcome> {
    const pause = setInterval(() => {
      const chunk: Buffer | null = this.#socket.read(Math.min(bytesPerSecond, this.#socket.readableLength));
      if (chunk !== null) this.#reader.push(chunk);
      this.#wake();
    }, 1000);
    this.#socket.on('readable', () => {});
    try {
      const reply = await this.#waitFor(() => this.#reader.take(), timeoutMs);
      if (reply !== undefined) return { kind: 'reply', ...reply };
      return { kind: 'cut', reason: `${this.#end ?? 'left'}, ${this.#reader.receivedBytes} bytes came` };
    } finally {
      clearInterval(pause);
    }
  }

  /** Ends the connection with a reset where there is still something to read or to send. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends it with a reset in any case. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #takeEnd(reason: string): void {
    this.#end ??= reason;
    this.#wake();
  }

  #waitFor<Found>(find: () => Found | undefined, timeoutMs: number): Promise<Found | undefined> {
    return new Promise((resolve) => {
      const finish = (found: Found | undefined) => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve(found);
      };
      const timer = setTimeout(() => finish(undefined), timeoutMs);
      const look = () => {
        const found = find();
        if (found !== undefined || this.#end !== undefined) finish(found);
      };
      this.#wake = look;
      look();
    });
  }
}
