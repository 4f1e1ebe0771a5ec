// Which changes of the schema the nodes are making, and which statements wait for them.
import { CallsUnderWay } from '../../../../foundation/calls-under-way.js';
import type { Table } from '../../../schema/table.js';

/** The statements that wait for a change: those of one table, or of any table. */
export interface Waiting {
  readonly what: 'reads' | 'writes';
  readonly table: Table | 'any';
}

/** The changes of the schema by this process that nodes are making now. */
export class ChangesUnderWay {
  readonly #changes = new CallsUnderWay();
  /** One entry for each change that statements wait for. */
  readonly #waiting = new Map<symbol, Waiting>();
  #endedCount = 0;

  /** Begins a change; resolves or rejects as it does. */
  async run<Result>(change: () => Promise<Result>, waiting?: Waiting): Promise<Result> {
    const key = Symbol('change');
    if (waiting !== undefined) this.#waiting.set(key, waiting);
    try {
      return await this.#changes.run(change);
    } finally {
      this.#waiting.delete(key);
      this.#endedCount += 1;
    }
  }

  /** Resolves when the changes that are under way now have ended or failed. */
  ended(): Promise<void> {
    return this.#changes.ended();
  }

  /** Watches from now on: the function returns whether any change was under way since. */
  watch(): () => boolean {
    const endedBefore = this.#endedCount;
    return () => this.#changes.count > 0 || this.#endedCount !== endedBefore;
  }

  /** Whether such statements of a table wait for a change that is under way. */
  mustWait(what: Waiting['what'], { keyspace, name }: Table): boolean {
    for (const { what: waiting, table } of this.#waiting.values())
      if (waiting === what && (table === 'any' || (table.keyspace === keyspace && table.name === name)))
        return true;
    return false;
  }
}
