// How many statements reads and writes take, of how many rows, in which order, and what their failures come to.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CqlPage, CqlStatement } from '../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../foundation/cassandra/session.js';
import { isJsonObject } from '../../../foundation/json/json-value.js';
import { parseJson } from '../../../foundation/json/parse-json.js';
import { MemoryShare } from '../../../foundation/limits/memory-share.js';
import { decimal } from '../../column-types/decimals.js';
import { int } from '../../column-types/integers.js';
import { keyBytesOf } from '../../column-types/key-bytes.js';
import { unsupportedOf } from '../../column-types/unsupported.js';
import { parseFilter } from '../../query/parse-filter.js';
import { finishRead, type ReadPage, type ReadPlan } from '../../query/read.js';
import { makeTable } from '../../schema/table.js';
import { EngineError } from '../engine-error.js';
import { ReadTimeLimit } from '../read-time-limit.js';
import { RowSizes } from './known-rows.js';
import { type ReadTools, readRows } from './reads.js';
import { sharedWriteTime, WriteTimes } from './write-times.js';
import { Writes, type WriteTools } from './writes.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['p', 'c', 'v'].map((name) => ({ name, type: int })),
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: 1 }],
  },
);

/** A session that answers with these pages, one for each statement, and remembers what it was asked. */
class ScriptedSession {
  readonly asked: (CqlStatement & { readonly page: string | null })[] = [];
  mostUnderWay = 0;
  #underWay = 0;
  readonly #answers: (CqlPage | Error)[];

  constructor(...answers: readonly (CqlPage | Error)[]) {
    this.#answers = [...answers];
  }

  async run(statement: CqlStatement, page: string | null = null): Promise<CqlPage> {
    this.asked.push({ ...statement, page });
    const answer = this.#answers.shift() ?? rowsOf(0);
    this.#underWay += 1;
    this.mostUnderWay = Math.max(this.#underWay, this.mostUnderWay);
    await nextTurn();
    this.#underWay -= 1;
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

const clock = { nowMs: () => 1000, monotonicMs: () => 0 };
const refuseOutdated = () => undefined;

function rowsOf(count: number, next: string | null = null, bytes = 24 * count): CqlPage {
  return { rows: Array.from({ length: count }, (_, at) => [at, at, at]), next, bytes };
}

/** What reads share: sizes of rows, and the memory for them. */
function readTools(session: ScriptedSession): ReadTools {
  return {
    session,
    refuseOutdated,
    runAdmitted: (_, statement) => statement(),
    limitOf: () => new ReadTimeLimit(clock, 5_000),
    sizes: new RowSizes(),
    memory: new MemoryShare(2 ** 26),
    mostBytes: Number.POSITIVE_INFINITY,
  };
}

/** With small rows of the table known. */
function knowingTools(session: ScriptedSession): ReadTools {
  const tools = readTools(session);
  tools.sizes.of(table, table.columns).note(64, 24);
  return tools;
}

const anyPage: ReadPage = {
  after: null,
  limit: 50,
  kind: 'paged',
  maxBytes: Number.POSITIVE_INFINITY,
};

function planOf(filter: string, changes: Partial<ReadPlan> = {}): ReadPlan {
  const parsed = parseJson(filter, { maxDepth: 9, maxNumberLength: 100 });
  assert.ok(isJsonObject(parsed));
  return {
    table,
    columns: table.columns,
    filter: parseFilter(parsed, table),
    order: null,
    page: anyPage,
    form: 'values',
    search: null,
    ...changes,
  };
}

async function finished(plan: ReadPlan, session: ScriptedSession, tools = knowingTools(session)) {
  return finishRead(plan, await readRows(plan, tools));
}

function rowAt(p: number): CqlPage {
  return { rows: [[p, 1, 1]], next: null, bytes: 24 };
}

function asked(session: ScriptedSession) {
  return session.asked.map(({ values, page, pageRows }) => [values[0]?.readInt32BE(), page, pageRows]);
}

/** With a column that a partition can have a value of without a row. */
const staticTable = makeTable(
  { id: 2, version: 1, keyspace: 'k' },
  {
    name: 's',
    columns: [...table.columns, { name: 'only', type: unsupportedOf('static int') }],
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: 1 }],
  },
);

describe('readRows', () => {
  it('takes one statement for a row by its key', async () => {
    const session = new ScriptedSession(rowsOf(1));
    const { rows } = await finished(
      planOf('{"p":1,"c":1}', { page: { ...anyPage, limit: 1, kind: 'single' } }),
      session,
    );
    assert.equal(rows.length, 1);
    assert.deepEqual(
      session.asked.map(({ pageRows }) => pageRows),
      [1],
    );
  });

  it('has every statement admitted that an index may serve', async () => {
    for (const [filter, pages, statements] of [
      ['{"p":1,"c":1}', 1, 0],
      ['{"p":1,"c":1,"v":0}', 1, 1],
      ['{"p":1}', 2, 2],
      ['{}', 2, 2],
    ] as const) {
      const session = new ScriptedSession(...[rowsOf(1, 'more'), rowsOf(1)].slice(-pages));
      let admitted = 0;
      const runAdmitted: ReadTools['runAdmitted'] = (_, statement) => {
        admitted += 1;
        return statement();
      };
      await finished(planOf(filter), session, { ...knowingTools(session), runAdmitted });
      assert.equal(admitted, statements, filter);
    }
  });

  it('takes one statement for a page, with one row more than it has', async () => {
    const session = new ScriptedSession(rowsOf(51, 'more'));
    const { rows, next } = await finished(
      planOf('{}', { page: { ...anyPage, maxBytes: 1_000_000 } }),
      session,
    );
    assert.deepEqual([rows.length, next !== null], [50, true]);
    assert.deepEqual(
      session.asked.map(({ pageRows, timeoutMs }) => [pageRows, timeoutMs]),
      [[51, 5_001]],
    );
  });

  it('ends a page for its size, and names the position', async () => {
    const session = new ScriptedSession(rowsOf(51, 'more'));
    const { rows, next } = await finished(planOf('{}', { page: { ...anyPage, maxBytes: 100 } }), session);
    assert.ok(rows.length < 10 && next !== null);
  });

  it('reads further pages and sources until it has the rows', async () => {
    const session = new ScriptedSession(rowsOf(20, 'more'), rowsOf(20), rowsOf(20), rowsOf(20));
    const { rows } = await finished(planOf('{"p":{"$in":[1,2,3,4]}}'), session);
    assert.equal(rows.length, 50);
    assert.deepEqual(asked(session), [
      [1, null, 51],
      [1, 'more', 31],
      [2, null, 11],
      [3, null, 11],
    ]);
  });

  it('reads more sources at the same time when the first ones do not have the rows, in their order', async () => {
    const session = new ScriptedSession(...Array.from({ length: 40 }, (_, at) => rowAt(at)));
    const partitions = Array.from({ length: 40 }, (_, at) => at);
    const { rows } = await finished(planOf(`{"p":{"$in":[${partitions}]}}`), session);
    assert.deepEqual(
      rows.map(([p]) => p),
      partitions,
    );
    // 1, then 2, then 4, then 8 at the same time: the last of each is answered before the next are asked.
    assert.deepEqual(session.mostUnderWay, 8);
    assert.equal(session.asked.length, 40);
  });

  it('begins with few rows where nothing is known of their size, and doubles them', async () => {
    const session = new ScriptedSession(rowsOf(16, 'a'), rowsOf(32, 'b'), rowsOf(3, 'c'), rowsOf(51, 'd'));
    const tools = readTools(session);
    await finished(planOf('{}'), session, tools);
    await finished(planOf('{}'), session, tools);
    assert.deepEqual(
      session.asked.map(({ pageRows }) => pageRows),
      [16, 32, 3, 51],
    );
  });

  it('asks for fewer rows where they are large, and holds no memory behind the read', async () => {
    const large = { rows: [[1, 1, 1]], next: 'more', bytes: 2 ** 20 };
    const session = new ScriptedSession(large, large, rowsOf(1));
    const tools = readTools(session);
    tools.sizes.of(table, table.columns).note(64, 2 ** 20);
    await finished(planOf('{}'), session, tools);
    assert.equal(session.asked[0]?.pageRows, 4);
    assert.equal(tools.memory.usedBytes, 0);
  });

  it('waits for memory that other reads hold, and is refused when it gets none', async () => {
    const session = new ScriptedSession(rowsOf(1));
    const tools = { ...readTools(session), memory: new MemoryShare(100) };
    const lease = tools.memory.takeAnyway(100);
    const waiting = finished(planOf('{}'), session, tools);
    await nextTurn();
    assert.equal(session.asked.length, 0);
    lease.release();
    assert.equal((await waiting).rows.length, 1);
    tools.memory.takeAnyway(100);
    const isRefused = (error: unknown) => error instanceof EngineError && error.kind === 'overloaded';
    const limitOf = () => new ReadTimeLimit(clock, 20);
    await assert.rejects(finished(planOf('{}'), session, { ...tools, limitOf }), isRefused);
  });

  it('asks for fewer rows where others saw larger ones while it waited for memory', async () => {
    const session = new ScriptedSession();
    const tools = readTools(session);
    const lease = tools.memory.takeAnyway(2 ** 26);
    const waiting = finished(planOf('{}'), session, tools);
    await nextTurn();
    tools.sizes.of(table, table.columns).note(16, 3 * 2 ** 20);
    lease.release();
    await waiting;
    assert.equal(session.asked[0]?.pageRows, 1);
    assert.equal(tools.memory.usedBytes, 0);
  });

  it('leaves reads to another thread that are too large for this one', async () => {
    const session = new ScriptedSession(rowsOf(3, 'more', 600), rowsOf(3, null, 600));
    const tools = { ...knowingTools(session), mostBytes: 1_000 };
    const isLarge = (error: unknown) => error instanceof EngineError && error.kind === 'large';
    await assert.rejects(finished(planOf('{}'), session, tools), isLarge);
  });

  it('skips what comes of a partition that has no rows', async () => {
    const [withoutRows, row] = [
      [7, null],
      [8, 2],
    ];
    const session = new ScriptedSession({ rows: [withoutRows, row], next: null, bytes: 20 });
    const plan = { ...planOf('{}'), table: staticTable, columns: staticTable.columns.slice(0, 1) };
    const { rows } = await finished(plan, session, readTools(session));
    assert.deepEqual(
      rows.map(([p]) => p),
      [8],
    );
    assert.match(session.asked[0]?.cql ?? '', /SELECT "p", "c" FROM/);
  });

  it('names positions by the bytes of key columns that commands cannot read', async () => {
    const tuple = keyBytesOf(unsupportedOf('frozen<tuple<int, text>>'));
    const definition = {
      name: 't',
      columns: [
        { name: 'p', type: tuple },
        { name: 'c', type: tuple },
        { name: 'v', type: int },
      ],
      partitionKey: ['p'],
      clustering: [{ name: 'c', direction: -1 as const }],
    };
    const elsewhere = makeTable({ id: 2, version: 1, keyspace: 'k' }, definition);
    const plan = { ...planOf('{}'), table: elsewhere, columns: elsewhere.columns.slice(2), order: null };
    const [p, c] = [Buffer.from([0, 0, 0, 0]), Buffer.alloc(0)];
    const rows = [
      [7, p, c],
      [8, p, Buffer.from([1])],
    ];
    const first = new ScriptedSession({ rows, next: null, bytes: 40 });
    const page: ReadPage = { ...anyPage, limit: 1, kind: 'paged' };
    const { rows: given, next } = await finished({ ...plan, page }, first, readTools(first));
    assert.deepEqual(
      given.map(([v]) => v),
      [7],
    );
    assert.equal(first.asked[0]?.cql, 'SELECT "v", (blob)"p", (blob)"c" FROM "k"."t"');
    assert.ok(next !== null);
    const rest = new ScriptedSession();
    await finished({ ...plan, page: { ...page, after: next } }, rest, readTools(rest));
    const selected = 'SELECT "v", (blob)"p", (blob)"c" FROM "k"."t" WHERE';
    assert.deepEqual(
      rest.asked.map(({ cql, values }) => [cql, values]),
      [
        [`${selected} "p" = ? AND "c" < ?`, [p, c]],
        [`${selected} token("p") > token(?)`, [p]],
      ],
    );
  });

  it('names partitions by their bytes where equal values can have different ones', async () => {
    const definition = {
      name: 't',
      columns: [
        { name: 'p', type: decimal },
        { name: 'c', type: decimal },
      ],
      partitionKey: ['p'],
      clustering: [{ name: 'c', direction: 1 as const }],
    };
    const elsewhere = makeTable({ id: 2, version: 1, keyspace: 'k' }, definition);
    const one = { unscaled: 1n, scale: 0 };
    // These bytes are 1 with two digits behind the point.
    const stored = Buffer.from([0, 0, 0, 2, 100]);
    const plan = { ...planOf('{}'), table: elsewhere, columns: elsewhere.columns, order: null };
    const page: ReadPage = { ...anyPage, limit: 1, kind: 'paged' };
    const driverOne = { _intVal: { bits_: [1], sign_: 0 }, _scale: 0 };
    const row = [driverOne, driverOne, stored];
    const first = new ScriptedSession({ rows: [row, row], next: null, bytes: 40 });
    const { next } = await finished({ ...plan, page }, first, readTools(first));
    assert.ok(next !== null);
    const rest = new ScriptedSession();
    await finished({ ...plan, page: { ...page, after: next } }, rest, readTools(rest));
    const selected = 'SELECT "p", "c", (blob)"p" FROM "k"."t" WHERE';
    assert.deepEqual(
      rest.asked.map(({ cql, values }) => [cql, values]),
      [
        [`${selected} "p" = ? AND "c" > ?`, [stored, decimal.cql.encode(one)]],
        [`${selected} token("p") > token(?)`, [stored]],
      ],
    );
  });

  it('asks for no bytes of a key where no position is needed, and sorts by them where rows are equal', async () => {
    const tuple = keyBytesOf(unsupportedOf('frozen<tuple<int>>'));
    const columns = [
      { name: 'p', type: tuple },
      { name: 'v', type: int },
    ];
    const definition = { name: 't', columns, partitionKey: ['p'], clustering: [] };
    const elsewhere = makeTable({ id: 2, version: 1, keyspace: 'k' }, definition);
    const ofValue = elsewhere.columns.slice(1);
    const plan = { ...planOf('{}'), table: elsewhere, columns: ofValue };
    const one = new ScriptedSession({ rows: [[7]], next: null, bytes: 4 });
    const page: ReadPage = { ...anyPage, kind: 'single' };
    await finished({ ...plan, order: null, page }, one, readTools(one));
    assert.equal(one.asked[0]?.cql, 'SELECT "v" FROM "k"."t"');
    const rows = [2, 0, 1].map((byte) => [7, Buffer.from([byte])]);
    const all = new ScriptedSession({ rows, next: null, bytes: 12 });
    const order = [...ofValue, ...elsewhere.partitionKey].map((column) => ({
      column,
      direction: 1 as const,
    }));
    const sorted = { ...plan, order, page: { ...anyPage, limit: 2 } };
    const { rows: given, next } = await finished(sorted, all, readTools(all));
    assert.deepEqual(
      given.map(([, bytes]) => bytes),
      [Buffer.from([0]), Buffer.from([1])],
    );
    assert.ok(next !== null);
  });

  it('reads more rows at a time where the filter is left to the server', async () => {
    const session = new ScriptedSession(rowsOf(128, 'more'), rowsOf(1));
    const { rows } = await finished(
      planOf('{"v":{"$ne":5}}', { page: { ...anyPage, limit: 1_000 } }),
      session,
    );
    assert.equal(rows.length, 128);
    assert.deepEqual(
      session.asked.map(({ pageRows }) => pageRows),
      [128, 256],
    );
  });

  it('asks nothing where no row can match', async () => {
    const session = new ScriptedSession();
    const { rows, next } = await finished(planOf('{"v":{"$in":[]}}'), session);
    assert.deepEqual([rows, next, session.asked], [[], null, []]);
  });

  it('fails as the session does, also behind the first page', async () => {
    const failure = new CassandraFailure('unanswered', 'no answer');
    const isTimeout = (error: unknown) => error instanceof EngineError && error.kind === 'timeout';
    await assert.rejects(finished(planOf('{}'), new ScriptedSession(failure)), isTimeout);
    await assert.rejects(finished(planOf('{}'), new ScriptedSession(rowsOf(3, 'more'), failure)), isTimeout);
  });
});

describe('Writes', () => {
  const writesTo = (session: ScriptedSession, changes: Partial<WriteTools> = {}) => {
    const times = new WriteTimes(clock, sharedWriteTime());
    return new Writes({ session, refuseOutdated, clock, times, timeoutMs: 5_000, ...changes });
  };
  const rows = [1, 2, 3].map((p) => ({ columns: table.columns, values: [p, 1, 1] }));
  const changes = [{ kind: 'set', column: valueColumn(), value: 1 }] as const;
  const refused = new CassandraFailure('refused', 'too large');

  it('takes one statement for each row, with times in the order of the calls', async () => {
    const session = new ScriptedSession();
    const writes = writesTo(session);
    await Promise.all([
      writes.insertRows({ table, rows }),
      writes.changeRow({ table, key: [1, 1], changes }),
    ]);
    const times = session.asked.map(({ timestampMicros }) => timestampMicros);
    assert.deepEqual(times, [1_000_000, 1_000_001, 1_000_002, 1_000_003]);
  });

  it('reports of each row whether it was stored, and stops at the first failure where rows are ordered', async () => {
    const outcomeOf = async (isOrdered: boolean) => {
      const session = new ScriptedSession(rowsOf(0), refused, rowsOf(0));
      const outcome = await writesTo(session).insertRows({ table, rows, isOrdered });
      return { failed: outcome.rows.map((failure) => failure !== null), statements: session.asked.length };
    };
    assert.deepEqual(await outcomeOf(false), { failed: [false, true, false], statements: 3 });
    assert.deepEqual(await outcomeOf(true), { failed: [false, true, true], statements: 2 });
  });

  it('refuses the whole where the table has gone', async () => {
    const gone = new CassandraFailure('refused', 'table t does not exist');
    const isOutdated = (error: unknown) => error instanceof EngineError && error.kind === 'schemaChanged';
    await assert.rejects(
      writesTo(new ScriptedSession(rowsOf(0), gone)).insertRows({ table, rows }),
      isOutdated,
    );
  });

  it('stores again what was not stored, and nothing else, when its plan is made again', async () => {
    const gone = new CassandraFailure('refused', 'table t does not exist');
    const session = new ScriptedSession(rowsOf(0), gone, refused);
    const [writes, command] = [writesTo(session), {}];
    await assert.rejects(writes.insertRows({ table, rows, command }), EngineError);
    const { rows: failures } = await writes.insertRows({ table, rows, command });
    assert.deepEqual(
      failures.map((failure) => failure?.kind ?? null),
      [null, null, 'writeFailed'],
    );
    assert.deepEqual(
      session.asked.map(({ values }) => values[0]?.readInt32BE()),
      [1, 2, 3, 2],
    );
    const other = await writes.insertRows({ table, rows, command: {} });
    assert.deepEqual([other.rows, session.asked.length], [[null, null, null], 7]);
  });

  it('gives all statements of a plan one time limit, and sends none behind it', async () => {
    let nowMs = 0;
    const slow = { nowMs: () => 1000, monotonicMs: () => nowMs };
    const session = new ScriptedSession();
    const run = session.run.bind(session);
    session.run = (statement) => {
      nowMs += 3_000;
      return run(statement);
    };
    const outcome = await writesTo(session, { clock: slow }).insertRows({ table, rows, isOrdered: true });
    assert.deepEqual(
      outcome.rows.map((failure) => failure?.kind ?? null),
      [null, null, 'overloaded'],
    );
    assert.deepEqual(
      session.asked.map(({ timeoutMs }) => timeoutMs),
      [5_000, 2_000],
    );
  });

  it('refuses the whole where the cluster has too much to do for all rows', async () => {
    const busy = new CassandraFailure('overloaded', 'busy');
    const isBusy = (error: unknown) => error instanceof EngineError && error.kind === 'overloaded';
    const all = writesTo(new ScriptedSession(busy, busy, busy));
    await assert.rejects(all.insertRows({ table, rows }), isBusy);
    const some = await writesTo(new ScriptedSession(busy, busy)).insertRows({ table, rows });
    assert.deepEqual(some.rows.map(isBusy), [true, true, false]);
  });

  it('says of a delete that was carried out in part that it was', async () => {
    const busy = new CassandraFailure('overloaded', 'busy');
    const { filter } = planOf('{"p":{"$in":[1,2]}}');
    const isPart = (error: unknown) => error instanceof EngineError && error.kind === 'writeTimeout';
    await assert.rejects(writesTo(new ScriptedSession(busy)).deleteRows({ table, filter }), isPart);
  });

  it('deletes slices some at a time, and reports a failure among them', async () => {
    const { filter } = planOf(`{"p":{"$in":[${Array.from({ length: 90 }, (_, at) => at)}]}}`);
    const session = new ScriptedSession(refused);
    await assert.rejects(writesTo(session).deleteRows({ table, filter }), EngineError);
    assert.equal(session.asked.length, 90);
  });
});

function valueColumn() {
  const column = table.columnsByName.get('v');
  assert.ok(column);
  return column;
}
