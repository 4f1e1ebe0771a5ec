// The replies when the engine behind the routes fails: the routes of the service on an engine that does.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValueMismatch } from '../../src/data-service/column-types/column-type.js';
import { columnTypeNamed } from '../../src/data-service/column-types/registry.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError, type EngineErrorKind } from '../../src/data-service/engine/engine-error.js';
import { FailureLog } from '../../src/data-service/http/failure-log.js';
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
    ['writeTimeout', writes, '<SERVER DATABASE TIMEOUT_WRITING_DATA: Write took too long>'],
    ['timeout', [read], '<SERVER DATABASE TIMEOUT_READING_DATA: Read took too long>'],
    [
      'unreachable',
      [...writes, read],
      '<SERVER DATABASE FAILED_TO_CONNECT_TO_DATABASE: Database cannot be reached>',
    ],
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

  it('a server that does not write: the refusal is not logged', async () => {
    const failure = new EngineError('readOnly', 'it follows another server');
    for (const body of writes) {
      const { status, text, logged } = await ask(body, failure);
      const error = '<SERVER DATABASE READ_ONLY_SERVER: Server does not write>';
      assert.deepEqual([status, shortened(text), logged], [200, `{"errors":[${error}]}`, []]);
      assert.match(messagesIn(text), /it follows another server/);
    }
  });

  it('a cluster with too much to do: the status is 503, and nothing is logged', async () => {
    const failure = new EngineError('overloaded', 'the cluster has too much to do');
    for (const body of [...writes, read]) {
      const { status, retryAfter, text, logged } = await ask(body, failure);
      assert.deepEqual([status, retryAfter, logged], [503, '1', []]);
      assert.equal(
        shortened(text),
        '{"errors":[<SERVER DATABASE UNAVAILABLE_DATABASE: Database not available>]}',
      );
      assert.match(messagesIn(text), /too much to do/);
    }
  });

  it('a cluster with too much to do for one row: the status is 200, because others were stored', async () => {
    const failure = new EngineError('overloaded', 'the cluster has too much to do');
    const body = '{"insertMany":{"documents":[{"id":1},{"id":2}]}}';
    const { status, retryAfter, text } = await ask(body, failure, [null, failure]);
    assert.deepEqual([status, retryAfter], [200, undefined]);
    assert.match(text, /"insertedIds":\[\[1\]\].*UNAVAILABLE_DATABASE/);
  });

  const security: readonly (readonly [kind: EngineErrorKind, reply: string])[] = [
    ['notPermitted', '<REQUEST SECURITY UNAUTHORIZED_ACCESS: Access not permitted>'],
    ['unauthenticated', '<REQUEST SECURITY UNAUTHENTICATED_REQUEST: Authentication token not accepted>'],
  ];
  for (const [kind, error] of security) {
    it(`of the kind ${kind} is a refusal with the status 401, which is not logged`, async () => {
      const failure = new EngineError(kind, 'User a has no SELECT permission');
      for (const body of [...writes, read]) {
        const { status, text, logged } = await ask(body, failure);
        assert.deepEqual([status, shortened(text), logged], [401, `{"errors":[${error}]}`, []]);
        assert.equal(messagesIn(text).includes('User a has no SELECT permission'), kind === 'notPermitted');
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

  it('of an index that the engine cannot make names its column', async () => {
    const failure = new EngineError('unindexable', 'no index has such options.');
    const body = '{"createIndex":{"name":"by_id","definition":{"column":"n"}}}';
    const { text } = await ask(body, failure);
    const error = '<REQUEST SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index>';
    assert.equal(shortened(text), `{"status":{"ok":0},"errors":[${error}]}`);
    assert.match(messagesIn(text), /n\(int\) cannot have an index: no index has such options\.$/m);
  });

  it('of a schema command comes beside ok 0', async () => {
    const failure = new EngineError('writeFailed', 'the disk is full');
    const { text } = await ask('{"createKeyspace":{"name":"k"}}', failure, [], '/v1');
    assert.equal(
      shortened(text),
      '{"status":{"ok":0},"errors":[<SERVER DATABASE FAILED_WRITE_REQUEST: Write failed>]}',
    );
  });

  it('that cannot read its schema comes beside ok 0 for a schema command, and alone for others', async () => {
    const failure = new EngineError('closed', 'the server is shutting down');
    const readSchema = () => Promise.reject(failure);
    const unavailable = '<SERVER DATABASE UNAVAILABLE_DATABASE: Database not available>';
    const made = await ask('{"createKeyspace":{"name":"k"}}', failure, [], '/v1', readSchema);
    assert.equal(shortened(made.text), `{"status":{"ok":0},"errors":[${unavailable}]}`);
    const found = await ask(read, failure, [], '/v1/k/t', readSchema);
    assert.equal(shortened(found.text), `{"errors":[${unavailable}]}`);
    assert.deepEqual(found.logged, [failure]);
  });

  it('a number of too many digits: is refused where another client stored it', async () => {
    const failure = new ValueMismatch(
      'the stored number has more than 200000 digits when written out',
      'limit',
    );
    const { status, text, logged } = await ask(read, failure);
    const error = '<REQUEST DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded>';
    assert.deepEqual([status, shortened(text), logged], [200, `{"errors":[${error}]}`, []]);
    assert.match(messagesIn(text), /the stored number has more/);
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
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** What was logged as an error. */
  readonly logged: readonly unknown[];
}

/** Sends a body to routes on an engine that fails with `failure`; insertRows gives `rows` instead, if any. */
async function ask(
  body: string,
  failure: Error,
  rows: readonly (EngineError | null)[] = [],
  path = '/v1/k/t',
  readSchema?: Engine['readSchema'],
): Promise<Answer> {
  const logged: unknown[] = [];
  const logger = loggerInto(logged);
  const clock = { nowMs: () => 0, monotonicMs: () => 0 };
  let ids = 0;
  const route = createDataRoutes({
    ...withoutEmbedding,
    engine: { ...failingEngine(failure, rows), ...(readSchema && { readSchema }) },
    dialect: 'strict',
    pageStateKey: new Uint8Array(32),
    token: undefined,
    clock,
    newId: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    },
    logger,
    failures: new FailureLog(logger, clock),
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
  const retryAfter = reply.headers?.['retry-after'];
  return { status: reply.status, retryAfter, text: bodyText(reply), logged };
}

function failingEngine(failure: Error, rows: readonly (EngineError | null)[]): Engine {
  const int = columnTypeNamed('int');
  assert.ok(int !== undefined);
  const columns = [
    { name: 'id', type: int },
    { name: 'n', type: int },
  ];
  const definition = { name: 't', columns, partitionKey: ['id'], clustering: [] };
  const table = makeTable({ id: 1, version: 1, keyspace: 'k' }, definition);
  const keyspace = {
    name: 'k',
    replication: new Map(),
    tables: new Map([['t', table]]),
    userTypes: new Map(),
  };
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
