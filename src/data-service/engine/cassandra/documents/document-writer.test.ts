// Writes of documents by conditional statements, on a node that loses replies and gets writes of other servers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlPage, CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure, type CassandraFailureKind } from '../../../../foundation/cassandra/session.js';
import type { JsonObject } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import type { DocumentChange } from '../../../documents/change-document.js';
import { toColumns } from '../../../documents/document-columns.js';
import { parseDocumentId } from '../../../documents/document-id.js';
import { parseUpdate } from '../../../documents/document-update.js';
import { parseDocumentFilter } from '../../../documents/parse-document-filter.js';
import type { StoredDocument } from '../../../query/document-write.js';
import { EngineError } from '../../engine-error.js';
import { collectionNamed } from './collection-layout.js';
import { type DocumentTools, DocumentWriter } from './document-writer.js';
import { KeyTurns } from './key-turns.js';

const limits = { maxDepth: 10, maxNumberLength: 100 };
const collection = collectionNamed({ id: 7, version: 1, keyspace: 'shop' }, 'people', {});

function objectOf(text: string): JsonObject {
  return parseJson(text, limits) as JsonObject; // the tests write objects
}

function stored(text: string): StoredDocument {
  const document = objectOf(text);
  return { key: parseDocumentId(document.get('_id') ?? null).key, ...toColumns(document, null) };
}

/** The values of a row by the names of its columns, as they were sent. */
type Row = Map<string, Buffer | null>;

/**
 * What becomes of a conditional statement: its reply or the statement is lost, or it waits for the next statement, or
 * until the node continues.
 */
type Loss = 'reply' | 'statement' | 'late' | 'hung';

/** One node with one collection. Statements are compared as nodes compare them. */
class SimulatedNode {
  readonly rows = new Map<string, Row>();
  readonly sent: string[] = [];
  /** What becomes of the next conditional statements. */
  losses: (Loss | undefined)[] = [];
  failure: CassandraFailureKind = 'unanswered';
  /** What others do before the next read with LOCAL_SERIAL. */
  beforeSerialRead: (() => Promise<unknown>) | undefined;
  serialFailures = 0;
  readonly #late: CqlStatement[] = [];
  readonly #hung: CqlStatement[] = [];
  /** Rows that an INSERT made: they stay with their key alone when they have no values any more. */
  readonly #inserted = new Set<string>();
  /** Values that have a time to live. */
  readonly #expiring: { readonly key: string; readonly name: string; readonly value: Buffer }[] = [];

  /** Carries out what it got while it hung. */
  continue(): void {
    for (const hung of this.#hung.splice(0)) this.#write(hung);
  }

  /** The time of all values is over that have one. */
  expire(): void {
    for (const { key, name, value } of this.#expiring.splice(0)) {
      const row = this.rows.get(key);
      if (row?.get(name) === value) row.set(name, null);
      this.#removeEmpty(key);
    }
  }

  #removeEmpty(key: string): void {
    const isEmpty = [...(this.rows.get(key)?.values() ?? [])].every((value) => value === null);
    if (isEmpty && !this.#inserted.has(key)) this.rows.delete(key);
  }

  run = async (statement: CqlStatement): Promise<CqlPage> => {
    const { cql, values, consistency = '' } = statement;
    await Promise.resolve();
    this.sent.push(`${cql.slice(0, 6)} ${consistency}`.trim());
    if (cql.startsWith('SELECT')) {
      const others = consistency === 'LOCAL_SERIAL' ? this.beforeSerialRead : undefined;
      if (others !== undefined) this.beforeSerialRead = undefined;
      await others?.();
      return this.#read(statement);
    }
    for (const late of this.#late.splice(0)) this.#write(late);
    const loss = this.losses.shift();
    if (loss === 'late') this.#late.push(statement);
    if (loss === 'hung') this.#hung.push(statement);
    const present = cql.startsWith('INSERT') ? this.rows.get(keyOf(values[0])) : undefined;
    const isApplied = (loss === undefined || loss === 'reply') && this.#write(statement);
    if (loss !== undefined) throw new CassandraFailure(this.failure, 'no answer');
    const row = present === undefined ? [] : [values[0], decoded('born', present.get('born') ?? null)];
    return { rows: [[isApplied, ...row]], next: null, bytes: 10 };
  };

  #read({ cql, values, consistency }: CqlStatement): CqlPage {
    if (consistency === 'LOCAL_SERIAL' && this.serialFailures > 0) {
      this.serialFailures -= 1;
      throw new CassandraFailure('unanswered', 'no answer');
    }
    const row = this.rows.get(keyOf(values[0]));
    const columns = (/SELECT (.*) FROM/.exec(cql)?.[1] ?? '').split(', ').map((name) => name.slice(1, -1));
    const decode = (name: string) => decoded(name, row?.get(name) ?? null);
    return { rows: row === undefined ? [] : [columns.map(decode)], next: null, bytes: 100 };
  }

  #write({ cql, values }: CqlStatement): boolean {
    if (cql.startsWith('INSERT')) {
      const names = [...(/\(([^)]*)\) VALUES/.exec(cql)?.[1] ?? '').matchAll(/"(\w+)"/g)].map(
        ([, name]) => name,
      );
      const key = keyOf(values[0]);
      if (this.rows.has(key)) return false;
      this.rows.set(key, new Map(names.map((name = '', at) => [name, values[at] ?? null])));
      this.#inserted.add(key);
      return true;
    }
    const key = keyOf(values.at(-2));
    const row = this.rows.get(key) ?? new Map<string, Buffer | null>();
    if (!sameBytes(row.get('version'), values.at(-1))) return false;
    if (cql.endsWith('"document" = null') && row.get('document') != null) return false;
    if (cql.endsWith('"document" != null') && row.get('document') == null) return false;
    if (cql.startsWith('DELETE')) {
      this.#inserted.delete(key);
      return this.rows.delete(key);
    }
    this.rows.set(key, row);
    const names = [...(/SET (.*) WHERE/.exec(cql)?.[1] ?? '').matchAll(/"(\w+)" = \?/g)].map(
      ([, name]) => name,
    );
    for (const [at, name = ''] of names.entries()) {
      const value = values[at] ?? null;
      row.set(name, value);
      if (cql.includes(' USING TTL ') && value !== null) this.#expiring.push({ key, name, value });
    }
    this.#removeEmpty(key);
    return true;
  }

  /** The text of a document. */
  textOf(id: string): string | undefined {
    return this.rows
      .get(keyOf(Buffer.from(parseDocumentId(parseJson(id, limits)).key)))
      ?.get('document')
      ?.toString();
  }
}

function keyOf(value: Buffer | null | undefined): string {
  return value?.toString('hex') ?? '';
}

function sameBytes(one: Buffer | null | undefined, other: Buffer | null | undefined): boolean {
  return keyOf(one) === keyOf(other);
}

/** The form in which the driver gives a value. */
function decoded(name: string, value: Buffer | null): unknown {
  if (value === null) return null;
  if (name === 'document' || name === 'reserved') return value.toString();
  if (name !== 'former') return uuidText(value);
  const count = value.readInt32BE(0);
  return Array.from({ length: count }, (_, at) => uuidText(value.subarray(8 + at * 20, 24 + at * 20)));
}

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function open(
  session: DocumentTools['session'],
  timeoutMs = 5_000,
  mostBytes = 1_000_000,
  turns: DocumentTools['turns'] = new KeyTurns(),
) {
  return new DocumentWriter({
    session,
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    refuseOutdated: () => {},
    turns,
    timeoutMs,
    mostBytes,
    deleteAll: () => Promise.reject(new TypeError('not called here')),
  });
}

function updateOf(text: string): DocumentChange {
  return { kind: 'update', update: parseUpdate(objectOf(text)), nowMs: 1 };
}

const everything = parseDocumentFilter(objectOf('{}'), {
  indexing: undefined,
  lexical: 'disabled',
  keyspace: 'shop',
  table: 'people',
}).filter;

function change(writer: DocumentWriter, ids: readonly string[], how: DocumentChange) {
  const keys = ids.map((id) => parseDocumentId(parseJson(id, limits)).key);
  return writer.change({ collection, keys, filter: everything, change: how, wants: 'none' });
}

function insert(writer: DocumentWriter, documents: readonly string[], isOrdered = true) {
  return writer.insert({ collection, documents: documents.map(stored), isOrdered });
}

const increment = updateOf('{"$inc":{"n":1}}');
const isOfKind = (kind: EngineError['kind']) => (error: unknown) =>
  error instanceof EngineError && error.kind === kind;

describe('writes of documents on a cluster', () => {
  it('insert a document by one statement, and change it by two', async () => {
    const node = new SimulatedNode();
    const writer = open(node);
    assert.deepEqual(await insert(writer, ['{"_id":1,"n":1}']), ['stored']);
    assert.deepEqual(await insert(writer, ['{"_id":1,"n":9}']), ['exists']);
    node.sent.length = 0;
    assert.deepEqual(await change(writer, ['1'], increment), { states: ['changed'], images: [] });
    assert.deepEqual(node.sent, ['SELECT LOCAL_QUORUM', 'UPDATE']);
    assert.equal(node.textOf('1'), '{"_id":1,"n":2}');
    assert.deepEqual((await change(writer, ['1', '2'], { kind: 'delete' })).states, ['deleted', 'gone']);
    assert.equal(node.rows.size, 0);
  });

  it('find out an insert whose reply was lost, and repeat one that was lost itself', async () => {
    for (const losses of [['reply'], ['statement'], ['statement', 'statement', 'reply']] as const) {
      const node = new SimulatedNode();
      node.losses = [...losses];
      node.serialFailures = 1;
      assert.deepEqual(await insert(open(node), ['{"_id":1}']), ['stored'], losses.join());
      assert.equal(node.rows.size, 1);
    }
  });

  it('report that an id exists where another server inserted it behind an insert that failed', async () => {
    const node = new SimulatedNode();
    node.losses = ['statement'];
    node.failure = 'unavailable';
    node.beforeSerialRead = () => insert(open(node), ['{"_id":1,"by":"other"}']);
    assert.deepEqual(await insert(open(node), ['{"_id":1,"by":"own"}']), ['exists']);
    assert.equal(node.textOf('1'), '{"_id":1,"by":"other"}');
  });

  it('leave open what becomes of an insert that a node may carry out when another document is deleted', async () => {
    const node = new SimulatedNode();
    node.losses = ['statement'];
    node.beforeSerialRead = () => insert(open(node), ['{"_id":1,"by":"other"}']);
    const [outcome] = await insert(open(node), ['{"_id":1,"by":"own"}']);
    assert.equal((outcome as { code?: string }).code, 'TIMEOUT_WRITING_DATA');
    assert.equal(node.textOf('1'), '{"_id":1,"by":"other"}');
  });

  it('find out a change whose reply was lost, also behind the changes of others', async () => {
    for (const others of [0, 1, 5]) {
      const node = new SimulatedNode();
      await insert(open(node), ['{"_id":1,"n":0}']);
      node.losses = ['reply'];
      node.beforeSerialRead = async () => {
        for (let at = 0; at < others; at += 1) await change(open(node), ['1'], increment);
      };
      assert.deepEqual((await change(open(node), ['1'], increment)).states, ['changed']);
      assert.equal(node.textOf('1'), `{"_id":1,"n":${1 + others}}`);
    }
  });

  it('repeat a change that was lost, or that came behind another one', async () => {
    const node = new SimulatedNode();
    await insert(open(node), ['{"_id":1,"n":0}']);
    node.losses = ['statement', 'statement'];
    assert.deepEqual((await change(open(node), ['1'], increment)).states, ['changed']);
    const changes = Array.from({ length: 20 }, () => change(open(node), ['1'], increment));
    for (const { states } of await Promise.all(changes)) assert.deepEqual(states, ['changed']);
    assert.equal(node.textOf('1'), '{"_id":1,"n":21}');
  });

  it('take effect once if a node carries out a statement behind the read that looked for it', async () => {
    for (const losses of [['late'], ['late', 'late'], ['late', 'statement'], ['late', 'reply']] as const) {
      const node = new SimulatedNode();
      node.losses = [...losses];
      assert.deepEqual(await insert(open(node), ['{"_id":1,"n":0}']), ['stored'], losses.join());
      node.losses = [...losses];
      assert.deepEqual((await change(open(node), ['1'], increment)).states, ['changed']);
      assert.equal(node.textOf('1'), '{"_id":1,"n":1}');
      node.losses = ['late'];
      // Another server changes the document before the node does.
      node.beforeSerialRead = () => change(open(node), ['1'], increment);
      assert.deepEqual((await change(open(node), ['1'], increment)).states, ['changed']);
      assert.equal(node.textOf('1'), '{"_id":1,"n":3}');
      await insert(open(node), ['{"_id":2}']);
      node.losses = ['late'];
      await assert.rejects(change(open(node), ['2'], { kind: 'delete' }), isOfKind('writeTimeout'));
      assert.equal(node.rows.size, 1);
    }
  });

  it('do not bring a document back that was deleted while a node hung with its insert', async () => {
    for (const losses of [['hung'], ['hung', 'hung'], ['hung', 'late'], ['hung', 'statement']] as const) {
      const node = new SimulatedNode();
      const writer = open(node);
      node.losses = [...losses];
      assert.deepEqual(await insert(writer, ['{"_id":1,"n":0}']), ['stored'], losses.join());
      assert.deepEqual((await change(writer, ['1'], increment)).states, ['changed']);
      assert.deepEqual(await insert(writer, ['{"_id":1,"n":9}']), ['exists']);
      assert.deepEqual((await change(writer, ['1'], { kind: 'delete' })).states, ['deleted']);
      node.continue();
      assert.equal(node.textOf('1'), undefined);
      assert.deepEqual((await change(writer, ['1'], { kind: 'delete' })).states, ['gone']);
    }
  });

  for (const [what, losses] of [
    ['there is nothing of the document', ['hung', undefined]],
    ['the row of its first insert is there', ['late', undefined]],
  ] as const)
    it(`insert a document when the time of the mark of its deletion is over, and ${what}`, async () => {
      const node = new SimulatedNode();
      const writer = open(node, 200);
      node.losses = [...losses];
      assert.deepEqual(await insert(writer, ['{"_id":1,"n":0}']), ['stored']);
      assert.deepEqual((await change(writer, ['1'], { kind: 'delete' })).states, ['deleted']);
      assert.equal(node.rows.size, 1);
      node.expire();
      assert.equal(node.rows.size, losses[0] === 'late' ? 1 : 0);
      assert.deepEqual(await insert(open(node, 200), ['{"_id":1,"n":1}']), ['stored']);
      assert.deepEqual(await insert(open(node, 200), ['{"_id":1,"n":2}']), ['exists']);
      assert.equal(node.textOf('1'), '{"_id":1,"n":1}');
      assert.deepEqual((await change(open(node), ['1'], { kind: 'delete' })).states, ['deleted']);
      assert.equal(node.rows.size, 0);
    });

  it('insert a document over the mark of a deletion, and mark its deletion too', async () => {
    const node = new SimulatedNode();
    node.losses = ['hung'];
    await insert(open(node), ['{"_id":1,"n":0}']);
    await change(open(node), ['1'], { kind: 'delete' });
    const both = await Promise.all([7, 8].map((n) => insert(open(node), [`{"_id":1,"n":${n}}`])));
    assert.deepEqual(both.flat().sort(), ['exists', 'stored']);
    assert.match(node.textOf('1') ?? '', /"n":[78]/);
    node.losses = ['reply']; // the mark says whose delete it was
    assert.deepEqual((await change(open(node), ['1'], { kind: 'delete' })).states, ['deleted']);
    node.continue();
    assert.equal(node.textOf('1'), undefined);
  });

  it('keep rows of other software, which have no version', async () => {
    const node = new SimulatedNode();
    await insert(open(node), ['{"_id":1,"n":0}']);
    for (const row of node.rows.values()) for (const name of ['version', 'born']) row.set(name, null);
    assert.deepEqual(await insert(open(node), ['{"_id":1,"n":9}']), ['exists']);
    assert.equal(node.textOf('1'), '{"_id":1,"n":0}');
    const { run } = node;
    for (const how of [increment, { kind: 'delete' }] as const) {
      node.run = async (statement) => {
        if (!statement.cql.startsWith('SELECT')) node.rows.clear(); // another server deletes it
        return run(statement);
      };
      const rows = new Map(node.rows);
      assert.deepEqual((await change(open(node), ['1'], how)).states, ['gone']);
      assert.equal(node.rows.size, 0);
      for (const [key, row] of rows) node.rows.set(key, row);
    }
  });

  it('say so where it cannot be found out what became of a write', async () => {
    const node = new SimulatedNode();
    await insert(open(node), ['{"_id":1,"n":0}']);
    node.losses = ['reply'];
    await assert.rejects(change(open(node), ['1'], { kind: 'delete' }), isOfKind('writeTimeout'));
    await insert(open(node), ['{"_id":1,"n":0}']);
    node.losses = ['statement'];
    node.serialFailures = Number.POSITIVE_INFINITY;
    await assert.rejects(change(open(node, 100), ['1'], increment), isOfKind('writeTimeout'));
    assert.equal(node.textOf('1'), '{"_id":1,"n":0}');
  });

  it('end behind too many lost races with an error of their own, and keep the changes before it', async () => {
    const node = new SimulatedNode();
    await insert(open(node), ['{"_id":1,"n":0}', '{"_id":2,"n":0}']);
    const second = [...node.rows.values()][1];
    const writer = open(node, 200);
    const { run } = node;
    node.run = (statement) => {
      // Another server is always faster.
      if (
        statement.cql.startsWith('UPDATE') &&
        statement.values.some((value) => sameBytes(value, second?.get('_id')))
      )
        second?.set('version', Buffer.from(crypto.randomUUID().replaceAll('-', ''), 'hex'));
      return run(statement);
    };
    const { states, failure } = await change(writer, ['1', '2'], increment);
    assert.deepEqual(states, ['changed']);
    assert.equal(failure?.code, 'FAILED_CONCURRENT_OPERATIONS');
  });

  it('of one document wait for each other, and need not read what the one before left', async () => {
    const node = new SimulatedNode();
    const writer = open(node);
    await insert(writer, ['{"_id":1,"n":0}']);
    node.sent.length = 0;
    await Promise.all(Array.from({ length: 50 }, () => change(writer, ['1'], increment)));
    assert.equal(node.textOf('1'), '{"_id":1,"n":50}');
    assert.equal(node.sent.length, 51);
    const tooMany = Array.from({ length: 1_002 }, () => change(writer, ['1'], increment));
    const refused = (await Promise.allSettled(tooMany)).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1);
  });

  it('that change nothing read what another server left before the reply to the write before them', async () => {
    const node = new SimulatedNode();
    const other = open(node);
    const writer = open(node);
    const { run } = node;
    /** Sends a write, behind which another server does something before its reply arrives. */
    const during = async (first: () => Promise<unknown>, meanwhile: () => Promise<unknown>) => {
      node.run = async (statement) => {
        const reply = await run(statement);
        if (statement.isConditional !== true) return reply;
        node.run = run;
        await meanwhile();
        return reply;
      };
      return first();
    };
    const remove = (from: DocumentWriter) => change(from, ['1'], { kind: 'delete' });
    const one = () => insert(writer, ['{"_id":1,"n":1}']);
    const [, again] = await Promise.all([during(one, () => remove(other)), one()]);
    assert.deepEqual(again, ['stored']);
    const add = () => insert(other, ['{"_id":1,"n":2}']);
    const [, deleted] = await Promise.all([during(() => remove(writer), add), remove(writer)]);
    assert.deepEqual(deleted.states, ['deleted']);
    await add();
    const set = (n: number) => () => change(writer, ['1'], updateOf(`{"$set":{"n":${n}}}`));
    const reset = () => change(other, ['1'], updateOf('{"$set":{"n":4}}'));
    const [, same] = await Promise.all([during(set(3), reset), set(3)()]);
    assert.deepEqual(same.states, ['changed']);
    assert.equal(node.textOf('1'), '{"_id":1,"n":3}');
  });

  it('of a user without permission are refused, also behind a write of another user', async () => {
    const node = new SimulatedNode();
    const refusing = { run: () => Promise.reject(new CassandraFailure('notPermitted', 'no permission')) };
    const turns: DocumentTools['turns'] = new KeyTurns();
    const [writer, other] = [node, refusing].map((session) => open(session, 5_000, 1_000_000, turns));
    assert.ok(writer && other);
    await insert(writer, ['{"_id":1,"n":0}']);
    const changed = change(writer, ['1'], increment);
    const refused = [change(other, ['1'], updateOf('{"$unset":{"m":1}}')), insert(other, ['{"_id":1}'])];
    for (const each of refused) await assert.rejects(each, isOfKind('notPermitted'));
    assert.deepEqual((await changed).states, ['changed']);
  });

  it('reject where nothing was stored, and report each document where some were', async () => {
    const node = new SimulatedNode();
    node.failure = 'unreachable';
    node.losses = ['statement', 'statement'];
    await assert.rejects(insert(open(node), ['{"_id":1}', '{"_id":2}'], false), isOfKind('unreachable'));
    node.losses = [undefined, 'statement'];
    const [first, second] = await insert(open(node), ['{"_id":1}', '{"_id":2}'], false);
    assert.equal(first, 'stored');
    assert.equal((second as { code?: string }).code, 'FAILED_TO_CONNECT_TO_DATABASE');
  });

  it('leave large documents to another thread, unless the plan has changed one', async () => {
    const node = new SimulatedNode();
    await insert(open(node), ['{"_id":1,"n":0}']);
    await assert.rejects(change(open(node, 5_000, 50), ['1'], increment), isOfKind('large'));
    assert.equal(node.textOf('1'), '{"_id":1,"n":0}');
  });
});
