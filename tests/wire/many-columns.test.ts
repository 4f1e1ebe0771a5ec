// Tables of very many columns: what is possible works, what is not is refused as a request.
import { before, describe, it } from 'node:test';
import { isOnCluster, skippedUnlessOnCluster } from '../acceptance/server-args.js';
import { useWireServer } from './wire-server.js';

const server = useWireServer();
const keyspace = server.at('/v1/default_keyspace');
const table = server.at('/v1/default_keyspace/wide');
const ok = '{"status":{"ok":1}}';

function columns(count: number, prefix = 'c'): string {
  return Array.from({ length: count }, (_, at) => `"${prefix}${at}":"int"`).join(',');
}

describe('a table of 1,500 columns', () => {
  it('is created, written, emptied again and read', async () => {
    const definition = `{"columns":{"id":"int",${columns(1_499)}},"primaryKey":"id"}`;
    await keyspace(`{"createTable":{"name":"wide","definition":${definition}}}`, ok);
    await table('{"updateOne":{"filter":{"id":1},"update":{"$set":{"c7":7,"c1498":8}}}}', updated);
    await table(
      '{"findOne":{"filter":{"id":1},"projection":{"c7":1}}}',
      '{"data":{"document":{"c7":7}},"status":{"projectionSchema":{"c7":{"type":"int"}}}}',
    );
    await table('{"updateOne":{"filter":{"id":1},"update":{"$unset":{"c7":1,"c1498":1}}}}', updated);
    await table(
      '{"findOne":{"filter":{"id":1},"projection":{"c7":1}}}',
      '{"data":{"document":null},"status":{"projectionSchema":{"c7":{"type":"int"}}}}',
    );
  });

  it('takes no further column', () =>
    table(
      '{"alterTable":{"operation":{"add":{"columns":{"more":"int"}}}}}',
      '{"status":{"ok":0},"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}',
      '1501 columns',
    ));

  it('has columns dropped and added again for ever', async () => {
    const drop = '{"alterTable":{"operation":{"drop":{"columns":["c7"]}}}}';
    const add = '{"alterTable":{"operation":{"add":{"columns":{"c7":"int"}}}}}';
    // More often than dropped columns may wait for their values to be removed; on a cluster none do.
    for (let round = 0; round < (isOnCluster() ? 3 : 100); round += 1) {
      await table('{"updateOne":{"filter":{"id":2},"update":{"$set":{"c7":7,"c8":8}}}}', updated);
      await table(drop, ok);
      await table(add, ok);
      await table(
        '{"findOne":{"filter":{"id":2},"projection":{"c7":1,"c8":1}}}',
        '{"data":{"document":{"c8":8}},"status":{"projectionSchema":{"c8":{"type":"int"},"c7":{"type":"int"}}}}',
      );
    }
  });

  it('is the largest that can be created', () =>
    keyspace(
      `{"createTable":{"name":"wider","definition":{"columns":{"id":"int",${columns(1_500)}},"primaryKey":"id"}}}`,
      '{"status":{"ok":0},"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}',
      '1501 columns',
    ));
});

describe('a table whose columns were dropped', () => {
  const full = server.at('/v1/default_keyspace/full');
  const added = columns(499, 'n');
  const add = (names: string) => `{"alterTable":{"operation":{"add":{"columns":{${names}}}}}}`;
  before(async () => {
    const definition = `{"columns":{"id":"int",${columns(1_499)}},"primaryKey":"id"}`;
    await keyspace(`{"createTable":{"name":"full","definition":${definition}}}`, ok);
    const dropped = Array.from({ length: 499 }, (_, at) => `"c${at}"`).join(',');
    await full(`{"alterTable":{"operation":{"drop":{"columns":[${dropped}]}}}}`, ok);
  });

  it('takes no columns that its rows have no slot for (embedded)', () =>
    full(
      add(added.replaceAll('int', 'text')),
      '{"status":{"ok":0},"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}',
      'rows have 1998 slots',
    ));

  it('takes columns that can have the slots of others (embedded)', () => full(add(added), ok));

  it('columns of a table on a cluster: are not limited by slots', { skip: skippedUnlessOnCluster() }, () =>
    full(
      '{"findOne":{"filter":{"id":1},"projection":{"n498":1}}}',
      '{"data":{"document":null},"status":{"projectionSchema":{"n498":{"type":"text"}}}}',
    ),
  );
});

const updated = '{"status":{"matchedCount":1,"modifiedCount":1}}';
