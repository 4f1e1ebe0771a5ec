// Which statements on rows may run beside the changes of the schema: those of this engine, or of its host.
import type { CallsUnderWay } from '../../../../foundation/calls-under-way.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import type { ChangeHost, TableName } from '../../schema-host.js';
import type { ChangesUnderWay } from './changes-under-way.js';
import type { SchemaGenerations } from './schema-generations.js';
import type { SchemaHolder } from './schema-holder.js';

/** How long a question may be on its way to another thread. */
const onItsWayMs = 100;

/** What statements are admitted by. */
export interface AdmissionTools {
  readonly holder: SchemaHolder;
  readonly generations: SchemaGenerations;
  readonly making: ChangesUnderWay;
  /** The writes that changes wait for. */
  readonly writing: CallsUnderWay;
  /** Of the engine that makes the changes; undefined for that engine itself. */
  readonly host: ChangeHost | undefined;
}

/** Admits statements; what it refuses is outdated, and planned again behind the change. */
export class Admission {
  readonly #tools: AdmissionTools;

  constructor(tools: AdmissionTools) {
    this.#tools = tools;
  }

  /** Behind a page that an index may have found. @throws EngineError `schemaChanged` where rows may be missing */
  async admitPage(table: Table): Promise<void> {
    const { holder, generations, host } = this.#tools;
    this.refusePage(table);
    if (host === undefined) return;
    // An index that the host has dropped meanwhile is missing in the schema that it has now.
    await generations.followTo(await host.admitPage(nameOf(table)));
    holder.present(table);
  }

  /** Runs a write, for which changes wait. @throws EngineError `schemaChanged`, and as the write does */
  async runWrite<Result>(table: Table, write: () => Promise<Result>): Promise<Result> {
    const { generations, writing, host } = this.#tools;
    if (host === undefined) return writing.run(write);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      // The write itself refuses a table that is outdated in the schema of the host.
      await generations.followTo(await host.admitWrite(nameOf(table), ended));
      return await write();
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

  /** @throws EngineError `schemaChanged` for a table that is gone, changed, or whose reads are blocked here */
  refusePage(table: Table): void {
    this.#tools.holder.present(table);
    this.refuseBlocked('reads', table);
  }

  /** @throws EngineError `schemaChanged` for a table that is gone, changed, or whose writes are blocked here */
  refuseWrite(table: Table): void {
    this.#tools.holder.present(table);
    this.refuseBlocked('writes', table);
  }

  /** @throws EngineError `schemaChanged` where a change of this engine blocks such statements */
  refuseBlocked(kind: 'reads' | 'writes', table: TableName): void {
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
