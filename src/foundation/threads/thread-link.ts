// Calls between two threads over a message port: typed, answered in any order, with errors and cancellation.

import { UnderWay } from '../under-way.js';
import { type ErrorForm, type PackedError, packError, unpackError } from './crossing-error.js';
import type { Moved } from './worker-thread.js';

/** The calls that one side answers, by name. Arguments and results are copied: plain data only. */
export type CallTable<Table> = {
  readonly [Name in keyof Table]: (argument: never, signal: AbortSignal) => unknown;
};

/** The result of an offered call with parts that are moved instead of copied. */
export class MovedResult<Result> {
  readonly result: Result;
  readonly moved: Moved;

  constructor(result: Result, moved: Moved) {
    this.result = result;
    this.moved = moved;
  }
}

/** The port to the other side: a `WorkerThread` for the owner, an `OwnerPort` for the thread. */
export interface LinkPort {
  post(message: LinkMessage, moved?: Moved): void;
}

/** The messages of the port. */
export type LinkMessage =
  | { readonly kind: 'call'; readonly id: number | null; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: PackedError }
  | { readonly kind: 'abort'; readonly id: number };

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The type of the caller's result. */
export type ResultOf<Call> = Call extends (...given: never) => infer Given
  ? Awaited<Given> extends MovedResult<infer Result>
    ? Result
    : Awaited<Given>
  : never;

/**
 * One side of a link: calls what is in `Asked`, answers what is in `Offered`. The owner of the port passes its
 * messages to `receive`.
 */
export class ThreadLink<Asked extends CallTable<Asked>, Offered extends CallTable<Offered>> {
  readonly #port: LinkPort;
  readonly #offered: Offered;
  readonly #errorForms: readonly ErrorForm[];
  readonly #waiting = new UnderWay<Waiting>();
  readonly #running = new Map<number, AbortController>();
  #ended: Error | undefined;

  constructor(port: LinkPort, offered: Offered, errorForms: readonly ErrorForm[]) {
    this.#port = port;
    this.#offered = offered;
    this.#errorForms = errorForms;
  }

  /** Calls that wait for their answer. */
  get waitingCount(): number {
    return this.#waiting.count;
  }

  /** Calls and waits. Errors of the other side keep their kind if both sides know its form. */
  call<Name extends keyof Asked & string>(
    name: Name,
    argument: Parameters<Asked[Name]>[0],
    signal?: AbortSignal,
    moved?: Moved,
  ): Promise<ResultOf<Asked[Name]>> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    let id = 0;
    const abort = () => this.#port.post({ kind: 'abort', id });
    return new Promise<unknown>((resolve, reject) => {
      id = this.#waiting.add({ resolve, reject });
      try {
        this.#port.post({ kind: 'call', id, name, argument }, moved);
      } catch (error) {
        this.#waiting.take(id); // the argument cannot be copied: no answer comes
        throw error;
      }
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort);
    }).finally(() => signal?.removeEventListener('abort', abort)) as Promise<
      ResultOf<Asked[Name]> // the other side answers from the same table
    >;
  }

  /** Sends a call that gets no answer. An error on the other side is thrown there. */
  notify<Name extends keyof Asked & string>(name: Name, argument: Parameters<Asked[Name]>[0]): void {
    if (this.#ended !== undefined) return;
    this.#port.post({ kind: 'call', id: null, name, argument });
  }

  /** The other side has ended: waiting and later calls are rejected with this error. */
  end(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#waiting.takeAll()) reject(error);
    for (const controller of this.#running.values()) controller.abort();
  }

  /** Handles a message from the other side. */
  receive(message: LinkMessage): void {
    switch (message.kind) {
      case 'call':
        this.#answer(message.id, message.name, message.argument);
        return;
      case 'result':
        this.#waiting.take(message.id)?.resolve(message.result);
        return;
      case 'error':
        this.#waiting.take(message.id)?.reject(unpackError(message.error, this.#errorForms));
        return;
      case 'abort':
        this.#running.get(message.id)?.abort();
    }
  }

  #answer(id: number | null, name: string, argument: unknown): void {
    // The port carries arguments that `call` typed on the other side, from the same table.
    const offered = this.#offered as Offered &
      Readonly<Record<string, (argument: unknown, signal: AbortSignal) => unknown>>;
    const controller = new AbortController();
    const work = async () => {
      const answer = offered[name];
      if (answer === undefined) throw new Error(`the thread offers no "${name}"`);
      return answer.call(offered, argument, controller.signal);
    };
    if (id === null) {
      void work(); // an error of a call without an answer is a bug and ends the process
      return;
    }
    this.#running.set(id, controller);
    work()
      .then(
        (result) =>
          result instanceof MovedResult
            ? this.#reply({ kind: 'result', id, result: result.result }, result.moved)
            : this.#reply({ kind: 'result', id, result }),
        (error: unknown) => this.#port.post({ kind: 'error', id, error: packError(error, this.#errorForms) }),
      )
      .finally(() => this.#running.delete(id));
  }

  #reply(message: LinkMessage & { readonly id: number }, moved?: Moved): void {
    try {
      this.#port.post(message, moved);
    } catch (error) {
      // The result cannot be copied: the caller must not wait forever.
      const packed = packError(error, this.#errorForms);
      this.#port.post({ kind: 'error', id: message.id, error: packed });
    }
  }
}
