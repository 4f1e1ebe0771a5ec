// Which statements on rows may run beside the changes of the schema: those of this engine, or of its host.
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import type { ChangeHost, StatementKind, TableName } from '../change-host.js';
import type { ChangesUnderWay } from './changes-under-way.js';
import type { SchemaGenerations } from './schema-generations.js';
import type { SchemaHolder } from './schema-holder.js';
import type { StatementsUnderWay } from './statements-under-way.js';

/** How long a question may be on its way to another thread. */
const onItsWayMs = 100;

/** What statements are admitted by. */
export interface AdmissionTools {
  readonly holder: SchemaHolder;
  readonly generations: SchemaGenerations;
  readonly making: ChangesUnderWay;
  /** What changes wait for. */
  readonly statements: StatementsUnderWay;
  /** Of the engine that makes the changes; undefined for that engine itself. */
  readonly host: ChangeHost | undefined;
}

/** Admits statements; what it refuses is outdated, and planned again behind the change. */
export class Admission {
  readonly #tools: AdmissionTools;

  constructor(tools: AdmissionTools) {
    this.#tools = tools;
  }

  /**
   * Runs the statement of a read that an index may serve. Rows may be missing where another server has dropped the
   * index meanwhile. @throws EngineError `schemaChanged`, and as the statement does
   */
  async runRead<Result>(table: Table, read: () => Promise<Result>): Promise<Result> {
    const result = await this.#run('reads', table, async () => {
      this.refuse('reads', table);
      return read();
    });
    this.#tools.holder.present(table);
    return result;
  }

  /** Runs a write, which calls `refuse` before each statement. @throws EngineError, and as the write does */
  runWrite<Result>(table: Table, write: () => Promise<Result>): Promise<Result> {
    return this.#run('writes', table, write);
  }

  /** Changes of the schema wait for the call. It refuses a table that is outdated in the schema of the host. */
  async #run<Result>(kind: StatementKind, table: Table, call: () => Promise<Result>): Promise<Result> {
    const { generations, statements, host } = this.#tools;
    if (host === undefined) return statements.run(kind, table, call);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      await generations.followTo(await host.admit(kind, nameOf(table), ended));
      return await call();
    } finally {
      end();
    }
  }

  /** Whether a change of the table was under way within the last milliseconds, or somewhat before. */
  async wasChanged(table: Table, withinMs: number): Promise<boolean> {
    const { making, host } = this.#tools;
    // The milliseconds were counted some time ago: before this question, or before it arrives at the host.
    const asked = withinMs + onItsWayMs;
    return host === undefined ? making.wasUnderWay(table, asked) : host.wasChanged(nameOf(table), asked);
  }

  /** @throws EngineError `schemaChanged` for a table that is gone or changed, or whose statements are blocked here */
  refuse(kind: StatementKind, table: Table): void {
    this.#tools.holder.present(table);
    this.refuseBlocked(kind, table);
  }

  /** @throws EngineError `schemaChanged` where a change of this engine blocks such statements */
  refuseBlocked(kind: StatementKind, table: TableName): void {
    if (!this.#tools.making.blocks(kind, table)) return;
    const problem =
      kind === 'reads'
        ? `an index of the table ${table.name} is being dropped`
        : `the columns of the table ${table.name} are being changed`;
    throw new EngineError('schemaChanged', problem);
  }
}

function nameOf({ keyspace, name }: Table): TableName {
  return { keyspace, name };
}
