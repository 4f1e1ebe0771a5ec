// Which changes of the schema the nodes are making, and which statements they block.
import { EngineError } from '../../engine-error.js';
import type { TableName } from '../../schema-host.js';

/** A change: its table; without a name, all tables of the keyspace; without a keyspace, any table. */
export interface ChangeOfTables {
  readonly keyspace?: string;
  readonly name?: string;
  /** Statements that the change blocks: they are refused as outdated. */
  readonly blocks?: 'reads' | 'writes' | undefined;
}

/** Of so many tables it is remembered when their last change ended. */
const mostRemembered = 1_000;

interface UnderWay {
  readonly change: ChangeOfTables;
  readonly over: Promise<void>;
}

/** The changes of the schema by this process that nodes are making now, or may be making. */
export class ChangesUnderWay {
  readonly #underWay = new Set<UnderWay>();
  #endedCount = 0;
  /** By what changes were of: the count at the end of the last one, in this order. */
  readonly #ended = new Map<string, number>();
  /** The highest count that is remembered no longer. */
  #forgotten = 0;

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

  /** Watches from now on: the function returns whether any change of the table was under way since. */
  watch(table: TableName): () => boolean {
    const endedBefore = this.#endedCount;
    return () => {
      if ([...this.#underWay].some(({ change }) => isOf(change, table))) return true;
      const { keyspace, name } = table;
      const counts = [{}, { keyspace }, { keyspace, name }].map(
        (change) => this.#ended.get(keyOf(change)) ?? 0,
      );
      return Math.max(this.#forgotten, ...counts) > endedBefore;
    };
  }

  /** Whether a change that is under way blocks such statements of a table. */
  blocks(kind: 'reads' | 'writes', table: TableName): boolean {
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
    this.#endedCount += 1;
    this.#ended.delete(key); // the last one stands at the end
    this.#ended.set(key, this.#endedCount);
    const [oldest] = this.#ended;
    if (oldest === undefined || this.#ended.size <= mostRemembered) return;
    this.#ended.delete(oldest[0]);
    this.#forgotten = oldest[1];
  }
}

function isOf({ keyspace, name }: ChangeOfTables, table: TableName): boolean {
  return (
    keyspace === undefined || (keyspace === table.keyspace && (name === undefined || name === table.name))
  );
}

function keyOf({ keyspace, name }: ChangeOfTables): string {
  return JSON.stringify([keyspace, name]);
}
