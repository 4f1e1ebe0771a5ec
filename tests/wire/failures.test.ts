// The replies when the engine behind the routes fails: the routes of the service on an engine that does.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnTypeNamed } from '../../src/data-service/column-types/registry.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError, type EngineErrorKind } from '../../src/data-service/engine/engine-error.js';
import { createDataRoutes } from '../../src/data-service/http/routes.js';
import { makeTable } from '../../src/data-service/schema/table.js';
import type { LogFields, Logger } from '../../src/foundation/telemetry/logger.js';
import { bodyText } from '../body-text.js';
import { withoutEmbedding } from '../without-embedding.js';
import { messagesIn, shortened } from './wire-server.js';

const insert = '{"insertOne":{"document":{"id":1}}}';
const read = '{"findOne":{"filter":{"id":1}}}';
const update = '{"updateOne":{"filter":{"id":1},"update":{"$set":{"n":1}}}}';
const remove = '{"deleteOne":{"filter":{"id":1}}}';
const writes = [insert, update, remove];

describe('a failure of the engine', () => {
  const kinds: readonly (readonly [kind: EngineErrorKind, bodies: readonly string[], reply: string])[] = [
    ['writeFailed', writes, '<SERVER DATABASE FAILED_WRITE_REQUEST: Write failed>'],
    ['readFailed', [read], '<SERVER DATABASE FAILED_READ_REQUEST: Read failed>'],
    ['timeout', [read], '<SERVER DATABASE TIMEOUT_READING_DATA: Read took too long>'],
    ['closed', [...writes, read], '<SERVER DATABASE UNAVAILABLE_DATABASE: Database not available>'],
    ['schemaChanged', [...writes, read], '<SERVER DATABASE UNAVAILABLE_DATABASE: Database not available>'],
  ];
  for (const [kind, bodies, error] of kinds) {
    it(`of the kind ${kind} is reported with its code, its problem and no cause; the log has the cause`, async () => {
      for (const body of bodies) {
        const failure = new EngineError(kind, 'the disk is full', new Error('private'));
        const { status, text, logged } = await ask(body, failure);
        assert.deepEqual([status, shortened(text)], [200, `{"errors":[${error}]}`]);
        assert.match(messagesIn(text), /the disk is full/);
        assert.doesNotMatch(text, /private/);
        assert.deepEqual(logged, [failure]);
      }
    });
  }

  it('full disk; a read over its time limit: the codes say so, also for each row of insertMany', async () => {
    const failure = new EngineError('writeFailed', 'the disk is full');
    const { text } = await ask('{"insertMany":{"documents":[{"id":1},{"id":2}]}}', failure, [
      failure,
      failure,
    ]);
    const error = '<SERVER DATABASE FAILED_WRITE_REQUEST: Write failed>';
    assert.equal(shortened(text), `{"errors":[${error},${error}]}`);
  });

  it('of the first row of an ordered insertMany skips the others', async () => {
    const failure = new EngineError('writeFailed', 'the disk is full');
    const insertMany = (options: string) =>
      `{"insertMany":{"documents":[{"id":1},{"id":2},{"id":"three"}],"options":{${options}}}}`;
    const error = '<SERVER DATABASE FAILED_WRITE_REQUEST: Write failed>';
    const plain = await ask(insertMany('"ordered":true'), failure, [failure, failure]);
    assert.equal(shortened(plain.text), `{"errors":[${error}]}`);
    const perRow = await ask(insertMany('"ordered":true,"returnDocumentResponses":true'), failure, [
      failure,
      failure,
    ]);
    assert.equal(
      shortened(perRow.text),
      '{"status":{"documentResponses":[{"_id":[1],"status":"ERROR","errorsIdx":0},{"_id":[2],"status":"SKIPPED"},' +
        `{"_id":[],"status":"SKIPPED"}],"primaryKeySchema":{"id":{"type":"int"}}},"errors":[${error}]}`,
    );
  });

  it('of a schema command comes beside ok 0', async () => {
    const failure = new EngineError('writeFailed', 'the disk is full');
    const { text } = await ask('{"createKeyspace":{"name":"k"}}', failure, [], '/v1');
    assert.equal(
      shortened(text),
      '{"status":{"ok":0},"errors":[<SERVER DATABASE FAILED_WRITE_REQUEST: Write failed>]}',
    );
  });

  it('that nobody foresaw is reported as an error of the server, with the id of its line in the log', async () => {
    const fault = new TypeError('cannot read properties of undefined');
    const { status, text, logged } = await ask(read, fault);
    assert.equal(status, 200);
    assert.equal(
      shortened(text),
      '{"errors":[<SERVER UNEXPECTED_SERVER_ERROR: Unexpected error in the server>]}',
    );
    assert.match(messagesIn(text), /log of the server has the details under the id "[0-9a-f-]{36}"/);
    assert.doesNotMatch(text, /properties of undefined/);
    assert.deepEqual(logged, [fault]);
  });
});

interface Answer {
  readonly status: number;
  readonly text: string;
  /** What was logged as an error. */
  readonly logged: readonly unknown[];
}

/** Sends a body to routes on an engine that fails with `failure`; insertRows gives `rows` instead, if any. */
async function ask(
  body: string,
  failure: Error,
  rows: readonly EngineError[] = [],
  path = '/v1/k/t',
): Promise<Answer> {
  const logged: unknown[] = [];
  let ids = 0;
  const route = createDataRoutes({
    ...withoutEmbedding,
    engine: failingEngine(failure, rows),
    dialect: 'strict',
    pageStateKey: new Uint8Array(32),
    token: undefined,
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    newId: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    },
    logger: loggerInto(logged),
    metrics: { observe() {} },
  });
  const reply = await route.answer({
    method: 'POST',
    path,
    query: '',
    remoteAddress: '127.0.0.1',
    header: () => undefined,
    body: Buffer.from(body),
  });
  return { status: reply.status, text: bodyText(reply), logged };
}

function failingEngine(failure: Error, rows: readonly EngineError[]): Engine {
  const int = columnTypeNamed('int');
  assert.ok(int !== undefined);
  const columns = [
    { name: 'id', type: int },
    { name: 'n', type: int },
  ];
  const definition = { name: 't', columns, partitionKey: ['id'], clustering: [] };
  const table = makeTable({ id: 1, version: 1, keyspace: 'k' }, definition);
  const keyspace = { name: 'k', replication: new Map(), tables: new Map([['t', table]]) };
  const fail = () => Promise.reject(failure);
  return {
    name: 'failing',
    readSchema: async () => ({ keyspaces: new Map([['k', keyspace]]) }),
    changeSchema: fail,
    insertRows: rows.length > 0 ? async () => ({ rows }) : fail,
    readRows: fail,
    changeRow: fail,
    deleteRows: fail,
    close: async () => {},
  };
}

function loggerInto(logged: unknown[]): Logger {
  const ignore = () => {};
  const error = ({ err }: LogFields) => void logged.push(err);
  return { debug: ignore, info: ignore, warn: ignore, error, fatal: ignore };
}
