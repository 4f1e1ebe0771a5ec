// Which changes of the schema the nodes are making, and which statements they block.
import { CallsUnderWay } from '../../../../foundation/calls-under-way.js';
import type { Table } from '../../../schema/table.js';

/** The statements that a change blocks: those of one table, or of any table. They are refused as outdated. */
export interface BlockedStatements {
  readonly kind: 'reads' | 'writes';
  readonly table: Table | 'any';
}

/** The changes of the schema by this process that nodes are making now. */
export class ChangesUnderWay {
  readonly #changes = new CallsUnderWay();
  /** One entry for each change that blocks statements. */
  readonly #blocked = new Map<symbol, BlockedStatements>();
  #endedCount = 0;

  /** Begins a change; resolves or rejects as it does. */
  async run<Result>(change: () => Promise<Result>, blocked?: BlockedStatements): Promise<Result> {
    const key = Symbol('change');
    if (blocked !== undefined) this.#blocked.set(key, blocked);
    try {
      return await this.#changes.run(change);
    } finally {
      this.#blocked.delete(key);
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

  /** Whether a change that is under way blocks such statements of a table. */
  blocks(kind: BlockedStatements['kind'], { keyspace, name }: Table): boolean {
    for (const { kind: blocked, table } of this.#blocked.values())
      if (blocked === kind && (table === 'any' || (table.keyspace === keyspace && table.name === name)))
        return true;
    return false;
  }
}
