// Runs statements of the query language as they are written, with the rights of the session.
import { collectRows, TooManyRows } from '../../../foundation/cassandra/collect-rows.js';
import type { CqlSession } from '../../../foundation/cassandra/cql-session.js';
import { firstWordOf } from '../../../foundation/cassandra/first-word.js';
import { CassandraFailure } from '../../../foundation/cassandra/session.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import { ValueMismatch } from '../../column-types/column-type.js';
import { renderCqlValue } from '../../column-types/render-cql-value.js';
import { NativeQueryRefused, type NativeResult } from '../native-result.js';
import { ReadTimeLimit } from '../read-time-limit.js';
import { readFailure, writeFailure } from './engine-failure.js';
import type { ChangeOfTables } from './schema/changes-under-way.js';
import type { SchemaChanges } from './schema/schema-changes.js';

/** The time for one statement with all its rows. Official tools wait for a minute; truncating takes seconds. */
const timeoutMs = 50_000;
/** The time for a change of the schema on its node. The agreement of the nodes takes up to 10 s more. */
const changeTimeoutMs = 40_000;
const mostStatementLength = 200_000;

/** What statements are run with. */
export interface NativeTools {
  readonly session: Pick<CqlSession, 'runText' | 'changeSchema'>;
  readonly changes: Pick<SchemaChanges, 'changeByText'>;
  readonly clock: Clock;
}

const schemaWords: ReadonlySet<string> = new Set(['create', 'alter', 'drop']);
/** Statements that change nothing; of others it may be unknown whether they took effect. */
const readWords: ReadonlySet<string> = new Set(['select', 'describe', 'desc', 'list']);

const nothing: NativeResult = { columns: [], rows: [] };

/** Runs statements that nothing here checks. */
export class NativeStatements {
  readonly #tools: NativeTools;

  constructor(tools: NativeTools) {
    this.#tools = tools;
  }

  /** @throws NativeQueryRefused, EngineError */
  async run(query: string): Promise<NativeResult> {
    if (query.length > mostStatementLength)
      throw new NativeQueryRefused(`a statement has at most ${mostStatementLength} characters`);
    const word = firstWordOf(query);
    try {
      if (!schemaWords.has(word)) return await this.#read(query);
      const { session, changes } = this.#tools;
      await changes.changeByText(
        () => session.changeSchema(query, changeTimeoutMs),
        changedByText(word, query),
      );
      return nothing;
    } catch (error) {
      if (error instanceof TooManyRows || error instanceof ValueMismatch)
        throw new NativeQueryRefused(error.message);
      if (error instanceof CassandraFailure && error.kind === 'refused')
        throw new NativeQueryRefused(error.message);
      throw readWords.has(word) ? readFailure(error) : writeFailure(error);
    }
  }

  async #read(query: string): Promise<NativeResult> {
    const { session, clock } = this.#tools;
    const limit = new ReadTimeLimit(clock, timeoutMs);
    return collectRows(
      (pageRows, page) =>
        session.runText(query, { pageRows, page, timeoutMs: Math.floor(limit.left().leftMs) + 1 }),
      renderCqlValue,
    );
  }
}

const droppedIndex = /^\s*drop\s+index\s+(?:if\s+exists\s+)?(?:"((?:[^"]|"")+)"|(\w+))\s*\./i;

/**
 * What a change is of, and what it blocks. It is not read any further than to the keyspace of an index: other changes
 * are of all tables. A statement can have the words in a name or a comment: then it blocks more than it must, for as
 * long as the statements that it waits for.
 */
function changedByText(word: string, query: string): ChangeOfTables {
  if (word === 'alter' && /\bdrop\b/i.test(query)) return { blocks: 'writes' }; // it may drop columns
  if (word !== 'drop' || !/\bindex\b/i.test(query)) return {};
  const [, quoted, plain] = droppedIndex.exec(query) ?? [];
  const keyspace = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase();
  return { blocks: 'reads', ...(keyspace === undefined ? {} : { keyspace }) };
}
