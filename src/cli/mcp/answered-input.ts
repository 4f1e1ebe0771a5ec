// Standard input for assistants, which ends only when every request that was read has its reply.
import { once } from 'node:events';
import { type Readable, Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExactArguments } from './exact-arguments.js';
import { type FoundLines, type LineError, SoundLines } from './sound-lines.js';

/** A message of the protocol: a request has an id and a method, a reply only an id. */
interface Message {
  readonly id?: string | number | null | undefined;
  readonly method?: string;
  readonly params?: unknown;
}

/** Has no reply until the client or the connection ends it. */
const withoutReply = 'subscriptions/listen';

/** The requests that were read and have no reply yet. */
export class OpenRequests {
  readonly #ids = new Set<Message['id']>();
  readonly #onEnd: (id: Message['id']) => void;
  #noteEmpty: () => void = () => {};

  /** `onEnd` gets each request that has its reply, or was cancelled. */
  constructor(onEnd: (id: Message['id']) => void) {
    this.#onEnd = onEnd;
  }

  /** A message of the client. A request that it cancels gets no reply. */
  received({ id, method, params }: Message): void {
    if (method === 'notifications/cancelled') this.#remove(cancelledIn(params));
    else if (id !== undefined && method !== undefined && method !== withoutReply) this.#ids.add(id);
  }

  /** A message that was sent. */
  sent({ id, method }: Message): void {
    if (method === undefined) this.#remove(id);
  }

  /** Resolves when every request has its reply. */
  async allAnswered(): Promise<void> {
    if (this.#ids.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#noteEmpty = resolve;
    });
  }

  #remove(id: Message['id']): void {
    this.#ids.delete(id);
    this.#onEnd(id);
    if (this.#ids.size === 0) this.#noteEmpty();
  }
}

function cancelledIn(params: unknown): Message['id'] {
  const id = typeof params === 'object' && params !== null && 'requestId' in params ? params.requestId : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/**
 * The messages of `source`; its end waits for the replies to the requests before it. The SDK ignores lines that are not
 * messages; here `refuse` answers them. The next lines are read when it resolves. `isRequest`: whether the SDK takes a
 * message with a method.
 */
export function answeredInput(
  source: Readable,
  requests: OpenRequests,
  exact: ExactArguments,
  refuse: (error: LineError) => Promise<void>,
  isRequest: (message: object) => boolean,
): Transform {
  const lines = new SoundLines(isRequest);
  const pass = async ({ messages, errors }: FoundLines): Promise<void> => {
    for (const message of messages) {
      exact.read(message.toString());
      input.push(message);
    }
    for (const error of errors) await refuse(error);
  };
  const input: Transform = new Transform({
    transform: async (chunk: Buffer, _, done) => {
      await pass(lines.add(chunk));
      done();
    },
    flush: async (done) => {
      await pass(lines.end());
      while (input.readableLength > 0) await nextTurn(); // the reader has not seen the last requests
      await requests.allAnswered();
      done();
    },
  });
  return source.pipe(input);
}

/** Resolves when the input has ended or was closed. */
export async function inputEnd(input: Readable): Promise<void> {
  await once(input, 'close');
}
