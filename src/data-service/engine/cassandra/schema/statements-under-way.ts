// Which statements on rows the nodes are carrying out, so that changes of their tables wait for them.
import { CallsUnderWay } from '../../../../foundation/calls-under-way.js';
import type { StatementKind, TableName } from '../change-host.js';
import { type ChangeOfTables, isOf } from './changes-under-way.js';

interface AboutStatement {
  readonly kind: StatementKind;
  readonly table: TableName;
}

/** The statements of this process, without what follows a failure. */
export class StatementsUnderWay {
  readonly #calls = new CallsUnderWay<AboutStatement>();

  /** Begins a statement; resolves or rejects as it does. */
  run<Result>(kind: StatementKind, table: TableName, statement: () => Promise<Result>): Promise<Result> {
    return this.#calls.run(statement, { kind, table });
  }

  /** Resolves when the statements that the change blocks, and that are under way now, have ended or failed. */
  ended(change: ChangeOfTables): Promise<void> {
    return this.#calls.ended(
      (about) => about !== undefined && about.kind === change.blocks && isOf(change, about.table),
    );
  }
}
