// The pages in which documents of the public server are read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonArray, JsonNumber } from '../../../foundation/json/json-value.js';
import { DataPortProblem } from '../../port-problems.js';
import { type InsertedRows, noneInserted } from '../import-progress.js';
import type { Line } from '../row-file.js';
import { QueryFailed, QueryRefused } from './native-rows.js';
import { publicSource } from './public-source.js';

type Placed = readonly [document: string, token: string];

/** Answers as a cluster with one collection of these documents, and at most so many rows in a reply. */
function clusterWith(documents: readonly Placed[], mostRows = 1000, tableId = 'one') {
  const queries: string[] = [];
  const read = async (statement: string): Promise<readonly JsonArray[]> => {
    queries.push(statement);
    if (statement.includes('system_schema.tables'))
      return [['people', tableId, '{"collection":{"schema_version":1}}']];
    if (statement.includes('system_schema.columns')) return [];
    const [, operator, place = ''] = / WHERE token\(key\) (=|>) (-?\d+)/.exec(statement) ?? [];
    const limit = Number(/LIMIT (\d+)$/.exec(statement)?.[1]);
    const found = documents
      .filter(([, token]) => {
        if (operator === undefined) return true;
        return operator === '=' ? token === place : BigInt(token) > BigInt(place);
      })
      .slice(0, limit);
    if (found.length > mostRows) throw new QueryRefused('too large');
    return found.map(([text, token]) => [text, new JsonNumber(token)]);
  };
  return { queries, read };
}

async function linesFrom(read: ReturnType<typeof clusterWith>['read'], done: InsertedRows = noneInserted) {
  const source = await publicSource({ read, keyspace: 'Shop "x"', names: undefined }, { line: () => {} });
  const [table] = source.tables;
  assert.ok(table);
  const lines: Line[] = [];
  for await (const group of source.lines(table, done)) lines.push(...group);
  return { source, table, lines };
}

const texts = (lines: readonly Line[]) => lines.map(({ text }) => text);

/** 250 documents with tokens beyond the whole numbers of a double, two of them with the same token at the 100th. */
const many = Array.from({ length: 250 }, (_, id): Placed => {
  const token = -9_000_000_000_000_000_001n + BigInt(Math.floor((id + 1) / 2));
  return [`{"_id":${id}}`, String(token)];
});

describe('publicSource', () => {
  it('reads every document once, also those whose keys have the same token at the end of a page', async () => {
    const { read, queries } = clusterWith(many);
    const { lines } = await linesFrom(read);
    assert.deepEqual(
      texts(lines),
      many.map(([document]) => document),
    );
    assert.deepEqual(
      lines.map(({ number }) => number),
      many.map((_, at) => at + 1),
    );
    assert.equal(queries[2], 'SELECT doc_json, token(key) AS place FROM "Shop ""x"""."people" LIMIT 100');
    assert.equal(queries.length, 2 + 3, 'two for the definitions, and one for each page');
  });

  it('reads keys of the same token where they are more than a page', async () => {
    const { read } = clusterWith([
      ...['1', '2', '3'].map((id): Placed => [`{"_id":${id}}`, '5']),
      ['{"_id":4}', '6'],
    ]);
    const refusing: typeof read = async (statement) => {
      if (/LIMIT (?:[4-9]|[0-9]{2})/.test(statement) && !statement.includes(' = '))
        throw new QueryRefused('too large');
      return read(statement);
    };
    const { lines } = await linesFrom(refusing);
    assert.deepEqual(
      texts(lines),
      ['1', '2', '3', '4'].map((id) => `{"_id":${id}}`),
    );
  });

  it('reads smaller pages where reads fail, with few attempts for each size above 1', async () => {
    const { read } = clusterWith(many.slice(0, 2));
    const attempts: [limit: number, retries: number | undefined][] = [];
    const failing = async (statement: string, retries?: number) => {
      const limit = Number(/LIMIT (\d+)$/.exec(statement)?.[1]);
      if (!statement.includes('doc_json')) return read(statement);
      attempts.push([limit, retries]);
      throw new QueryFailed('no answer');
    };
    await assert.rejects(linesFrom(failing), QueryFailed);
    assert.deepEqual(attempts, [
      [100, 2],
      [10, 2],
      [1, undefined],
    ]);
  });

  it('makes no page smaller for another failure than a refusal', async () => {
    const { read, queries } = clusterWith(many);
    const failing: typeof read = async (statement) => {
      if (statement.includes('doc_json')) throw new DataPortProblem('not permitted');
      return read(statement);
    };
    await assert.rejects(linesFrom(failing), /not permitted/);
    assert.equal(queries.length, 2);
  });

  it('continues behind every place that it gave', async () => {
    const { read } = clusterWith(many);
    const { lines } = await linesFrom(read);
    const places = lines.filter(({ place }) => place !== undefined);
    assert.equal(places.length, 3);
    for (const { number, place } of places) {
      const rest = await linesFrom(read, { ...noneInserted, lines: number, place });
      assert.deepEqual(texts(rest.lines), texts(lines.slice(number)));
    }
  });

  it('reads smaller pages where documents are too large for one, and larger ones behind them', async () => {
    for (const [most, larger] of [
      [1, 2],
      [10, 11],
      [50, 11],
    ] as const) {
      const { read, queries } = clusterWith(
        many.filter((_, at) => at % 2 === 0),
        most,
      );
      const { lines } = await linesFrom(read);
      assert.equal(lines.length, 125, String(most));
      assert.ok(
        queries.some((query) => query.endsWith(` LIMIT ${larger}`)),
        String(most),
      );
    }
  });

  it('does not continue in a table that was made again', async () => {
    const { lines } = await linesFrom(clusterWith(many).read);
    const done = { ...noneInserted, lines: 250, place: lines.at(-1)?.place };
    const same = await linesFrom(clusterWith(many).read);
    assert.equal(await same.source.isContinuable(same.table, done), true);
    const other = await linesFrom(clusterWith(many, 1000, 'two').read);
    assert.equal(await other.source.isContinuable(other.table, done), false);
  });

  it('reports a table without documents, and more keys of one token than a page has', async () => {
    const rejects = (read: ReturnType<typeof clusterWith>['read'], problem: RegExp) =>
      assert.rejects(
        linesFrom(read),
        (error) => error instanceof DataPortProblem && problem.test(error.message),
      );
    await rejects(clusterWith([['1', '5']]).read, /not one of the public server/);
    await rejects(
      clusterWith(Array.from({ length: 101 }, (_, id) => [`{"_id":${id}}`, '5'])).read,
      /token 5: 100 or more/,
    );
  });

  it('writes documents in one form', async () => {
    const { read } = clusterWith([
      ['{"$vector":[1.0,-0.10E-2],"b":{"z":1E2,"a":[null]},"_id":1.50,"$lexical":"x"}', '5'],
    ]);
    const { lines, source, table } = await linesFrom(read);
    assert.deepEqual(texts(lines), [
      '{"_id":1.5,"b":{"z":100,"a":[null]},"$lexical":"x","$vector":[1,-0.001]}',
    ]);
    assert.match(source.placeOf(table, lines[0] ?? { number: 0, text: '' }), /^people: the document 1\.5$/);
  });
});
