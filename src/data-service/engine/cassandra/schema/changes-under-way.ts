// Which changes of the schema the nodes are making, and which statements they block.
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { EngineError } from '../../engine-error.js';
import type { StatementKind, TableName } from '../change-host.js';

/** A change: its table; without a name, all tables of the keyspace; without a keyspace, any table. */
export interface ChangeOfTables {
  readonly keyspace?: string;
  readonly name?: string;
  /** Statements that the change blocks: they are refused as outdated. */
  readonly blocks?: StatementKind | undefined;
}

/** The maximum number of tables whose last change is remembered. */
const mostRemembered = 1_000;

interface UnderWay {
  readonly change: ChangeOfTables;
  readonly over: Promise<void>;
}

/** The changes of the schema by this process that nodes are making now, or may be making. */
export class ChangesUnderWay {
  readonly #clock: Clock;
  readonly #underWay = new Set<UnderWay>();
  /** The monotonic time at which the last change of a thing ended, in this order. */
  readonly #endedMs = new Map<string, number>();
  /** The last time that is remembered no longer. */
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Begins a change; resolves or rejects as it does. `untilKnown`: resolves when it is known what became of a change
   * that may have been made; one that blocks statements is under way until then.
   */
  async run<Result>(
    make: () => Promise<Result>,
    change: ChangeOfTables,
    untilKnown: () => Promise<void>,
  ): Promise<Result> {
    const end = this.#begin(change);
    let isKnown = true;
    try {
      return await make();
    } catch (error) {
      const mayBeMade = error instanceof EngineError && error.kind === 'writeTimeout';
      isKnown = !mayBeMade || change.blocks === undefined;
      throw error;
    } finally {
      if (isKnown) end();
      else void untilKnown().finally(end);
    }
  }

  /** Resolves when the changes that are under way now, of the table or of any, are so no longer. */
  async ended(table?: TableName): Promise<void> {
    const all = [...this.#underWay].filter(({ change }) => table === undefined || isOf(change, table));
    await Promise.all(all.map(({ over }) => over));
  }

  /** Whether any change of the table is under way, or was within the last milliseconds. */
  wasUnderWay(table: TableName, withinMs: number): boolean {
    if ([...this.#underWay].some(({ change }) => isOf(change, table))) return true;
    const { keyspace, name } = table;
    const times = [{}, { keyspace }, { keyspace, name }].flatMap(
      (change) => this.#endedMs.get(keyOf(change)) ?? [],
    );
    return Math.max(this.#forgottenMs, ...times) >= this.#clock.monotonicMs() - withinMs;
  }

  /** Whether a change that is under way blocks such statements of a table. */
  blocks(kind: StatementKind, table: TableName): boolean {
    return [...this.#underWay].some(({ change }) => change.blocks === kind && isOf(change, table));
  }

  /** The function ends the change. */
  #begin(change: ChangeOfTables): () => void {
    let resolve = () => {};
    const over = new Promise<void>((settle) => {
      resolve = settle;
    });
    const entry = { change, over };
    this.#underWay.add(entry);
    return () => {
      this.#underWay.delete(entry);
      this.#remember(keyOf(change));
      resolve();
    };
  }

  #remember(key: string): void {
    this.#endedMs.delete(key); // the last one stands at the end
    this.#endedMs.set(key, this.#clock.monotonicMs());
    const [oldest] = this.#endedMs;
    if (oldest === undefined || this.#endedMs.size <= mostRemembered) return;
    this.#endedMs.delete(oldest[0]);
    this.#forgottenMs = oldest[1];
  }
}

/** Whether a table is one of those that a change is of. */
export function isOf({ keyspace, name }: ChangeOfTables, table: TableName): boolean {
  return (
    keyspace === undefined || (keyspace === table.keyspace && (name === undefined || name === table.name))
  );
}

function keyOf({ keyspace, name }: ChangeOfTables): string {
  return JSON.stringify([keyspace, name]);
}
