// Which statements on rows the nodes are carrying out, so that changes of their tables wait for them.
import type { StatementKind, TableName } from '../../schema-host.js';
import { type ChangeOfTables, isOf } from './changes-under-way.js';

interface UnderWay {
  readonly kind: StatementKind;
  readonly table: TableName;
  readonly over: Promise<unknown>;
}

/** The statements of this process, without what follows a failure. */
export class StatementsUnderWay {
  readonly #underWay = new Set<UnderWay>();

  /** Begins a statement; resolves or rejects as it does. */
  async run<Result>(
    kind: StatementKind,
    table: TableName,
    statement: () => Promise<Result>,
  ): Promise<Result> {
    const over = statement();
    const entry = { kind, table, over };
    this.#underWay.add(entry);
    try {
      return await over;
    } finally {
      this.#underWay.delete(entry);
    }
  }

  /** Resolves when the statements that the change blocks, and that are under way now, have ended or failed. */
  async ended(change: ChangeOfTables): Promise<void> {
    const blocked = [...this.#underWay].filter(
      ({ kind, table }) => kind === change.blocks && isOf(change, table),
    );
    await Promise.allSettled(blocked.map(({ over }) => over));
  }
}
