// Server-Sent Events: the open streams, their messages, and when they end.
import type { ReplyStream } from '../../foundation/http/http-handler.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { OpsError } from '../errors/ops-error.js';
import { WholeReply } from './route.js';

export interface StreamMessage {
  /** Clients send it as Last-Event-ID when they reconnect. */
  readonly id: string;
  /** The type of the event; if it is absent, the type is `message`. */
  readonly event?: string;
  /** One line of JSON. */
  readonly data: string;
}

export interface OpenStream {
  /** Whether the client has not read much of what was sent. */
  readonly isBehind: boolean;
  send(message: StreamMessage): void;
  /** Calls back when the client has read everything. */
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
}

const maxStreams = 64;
const maxBehindBytes = 1024 * 1024;
const behindBytes = 64 * 1024;
const silenceMs = 15_000;
/** The time that clients wait before they reconnect. */
const greeting = 'retry: 2000\n\n';

interface Entry {
  readonly stream: ReplyStream;
  readonly session: string | undefined;
  lastWriteMs: number;
}

/** Opens streams and sends messages that keep them alive. */
export class EventStreams {
  readonly #clock: Clock;
  readonly #open = new Set<Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The reply that opens a stream; `feed` is called once, after its head was sent.
   * @throws OpsError `TooManyRequests`
   */
  reply(session: string | undefined, feed: (stream: OpenStream) => void): WholeReply {
    if (this.#open.size >= maxStreams) {
      throw new OpsError('TooManyRequests', `${maxStreams} streams are open, which is the limit`, {
        retryAfterSeconds: 10,
      });
    }
    return new WholeReply({
      status: 200,
      contentType: 'text/event-stream; charset=utf-8',
      headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      maxBehindBytes,
      start: (stream) => {
        const entry: Entry = { stream, session, lastWriteMs: this.#clock.monotonicMs() };
        this.#open.add(entry);
        stream.onClose(() => this.#open.delete(entry));
        stream.write(greeting);
        feed(this.#openStream(entry));
      },
    });
  }

  /** Ends the streams of an ended session; for `undefined`, those that were opened without a session. */
  endSession(session: string | undefined): void {
    for (const entry of this.#open) if (entry.session === session) entry.stream.end();
  }

  /** Sends a comment on streams that have been silent for a while. The server calls it every second. */
  tick(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const entry of this.#open) if (nowMs - entry.lastWriteMs >= silenceMs) this.#write(entry, ': \n\n');
  }

  #openStream(entry: Entry): OpenStream {
    const { stream } = entry;
    return {
      get isBehind() {
        return stream.behindBytes > behindBytes;
      },
      send: ({ id, event, data }) => {
        const name = event === undefined ? '' : `event: ${event}\n`;
        this.#write(entry, `id: ${id}\n${name}data: ${data}\n\n`);
      },
      onDrain: (listener) => stream.onDrain(listener),
      onClose: (listener) => stream.onClose(listener),
    };
  }

  #write(entry: Entry, text: string): void {
    entry.lastWriteMs = this.#clock.monotonicMs();
    entry.stream.write(text);
  }
}
