// Calls between two threads over a message port: typed, answered in any order, errors and cancelling included.
import { type ErrorForm, type PackedError, packError, unpackError } from './crossing-error.js';
import type { Moved } from './worker-thread.js';

/** What one side answers, by name. Arguments and results are copied: plain data only. */
export type CallTable<Table> = {
  readonly [Name in keyof Table]: (argument: never, signal: AbortSignal) => unknown;
};

/** What an offered call gives where a part of its result is moved instead of copied. */
export class MovedResult<Result> {
  readonly result: Result;
  readonly moved: Moved;

  constructor(result: Result, moved: Moved) {
    this.result = result;
    this.moved = moved;
  }
}

/** The part of a port that is used: a `Worker` seen from outside, `parentPort` seen from inside. */
export interface ThreadPort {
  postMessage(message: unknown, moved?: Moved): void;
  on(event: 'message', listener: (message: LinkMessage) => void): unknown;
}

/** What goes over the port. */
export type LinkMessage =
  | { readonly kind: 'call'; readonly id: number | null; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: PackedError }
  | { readonly kind: 'abort'; readonly id: number };

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What the caller gets. */
type ResultOf<Call> = Call extends (...given: never) => infer Given
  ? Awaited<Given> extends MovedResult<infer Result>
    ? Result
    : Awaited<Given>
  : never;

/** One side of a link: asks the other for what is in `Asked`, answers what is in `Offered`. */
export class ThreadLink<Asked extends CallTable<Asked>, Offered extends CallTable<Offered>> {
  readonly #port: ThreadPort;
  readonly #offered: Offered;
  readonly #errorForms: readonly ErrorForm[];
  readonly #waiting = new Map<number, Waiting>();
  readonly #running = new Map<number, AbortController>();
  #lastId = 0;
  #ended: Error | undefined;

  constructor(port: ThreadPort, offered: Offered, errorForms: readonly ErrorForm[]) {
    this.#port = port;
    this.#offered = offered;
    this.#errorForms = errorForms;
    port.on('message', (message) => this.#receive(message));
  }

  /** Calls that wait for their answer. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Asks and waits. Errors of the other side arrive with their kind where both sides know its form. */
  call<Name extends keyof Asked & string>(
    name: Name,
    argument: Parameters<Asked[Name]>[0],
    signal?: AbortSignal,
    moved: Moved = [],
  ): Promise<ResultOf<Asked[Name]>> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#lastId += 1;
    const id = this.#lastId;
    const abort = () => this.#port.postMessage({ kind: 'abort', id } satisfies LinkMessage);
    return new Promise<unknown>((resolve, reject) => {
      // Throws what cannot be copied: then no answer comes, and nothing waits for one.
      this.#port.postMessage({ kind: 'call', id, name, argument } satisfies LinkMessage, moved);
      this.#waiting.set(id, { resolve, reject });
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort);
    }).finally(() => signal?.removeEventListener('abort', abort)) as Promise<
      ResultOf<Asked[Name]> // the other side answers from the same table
    >;
  }

  /** Says something that needs no answer. An error on the other side is thrown there. */
  tell<Name extends keyof Asked & string>(name: Name, argument: Parameters<Asked[Name]>[0]): void {
    if (this.#ended !== undefined) return;
    this.#port.postMessage({ kind: 'call', id: null, name, argument } satisfies LinkMessage);
  }

  /** The other side is gone: what waits and what comes is refused with this. */
  end(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const controller of this.#running.values()) controller.abort();
  }

  #receive(message: LinkMessage): void {
    switch (message.kind) {
      case 'call':
        this.#answer(message.id, message.name, message.argument);
        return;
      case 'result':
        this.#take(message.id)?.resolve(message.result);
        return;
      case 'error':
        this.#take(message.id)?.reject(unpackError(message.error, this.#errorForms));
        return;
      case 'abort':
        this.#running.get(message.id)?.abort();
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #answer(id: number | null, name: string, argument: unknown): void {
    // The port carries what `call` of the other side typed; the table is the same.
    const offered = this.#offered as unknown as Readonly<
      Record<string, (argument: unknown, signal: AbortSignal) => unknown>
    >;
    const controller = new AbortController();
    const work = async () => {
      const answer = offered[name];
      if (answer === undefined) throw new Error(`the thread offers no "${name}"`);
      return answer.call(offered, argument, controller.signal);
    };
    if (id === null) {
      void work(); // an error of what nobody waits for is a bug and ends the process as such
      return;
    }
    this.#running.set(id, controller);
    work()
      .then(
        (result) =>
          result instanceof MovedResult
            ? this.#reply({ kind: 'result', id, result: result.result }, result.moved)
            : this.#reply({ kind: 'result', id, result }),
        (error: unknown) =>
          this.#port.postMessage({
            kind: 'error',
            id,
            error: packError(error, this.#errorForms),
          } satisfies LinkMessage),
      )
      .finally(() => this.#running.delete(id));
  }

  #reply(message: LinkMessage & { readonly id: number }, moved?: Moved): void {
    try {
      this.#port.postMessage(message, moved);
    } catch (error) {
      // The result cannot be copied: the caller must not wait for ever.
      const packed = packError(error, this.#errorForms);
      this.#port.postMessage({ kind: 'error', id: message.id, error: packed } satisfies LinkMessage);
    }
  }
}
