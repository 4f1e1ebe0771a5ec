// Writes that are faster than the shipping wait for it: the generation of the archive continues.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { move, send } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { generationsIn } from './apply-archive.js';
import { restoreFrom, startArchived, untilCaughtUp, untilRestorable } from './archived-server.js';

const senders = 8;
const rowsOfCommand = 100;
const table = '/default_keyspace/loaded';

describe('a server that is filled faster than its archive', () => {
  it('continues the generation, whose log stays below its limit', () => fill(60));

  // The writes of half a second are more than this archive takes in half a second.
  it('continues the generation with a slow archive, too', () => fill(50, 2_000_000));
});

async function fill(commandsOfSender: number, bytesInSecond?: number): Promise<void> {
  const rowCount = senders * commandsOfSender * rowsOfCommand;
  const root = makeTemporaryDirectory();
  const place = { archive: join(root, 'archive'), args: [], serverArgs: ['--archive-log-limit', '64'] };
  const slowOptions = {
    environment: { SLOW_BELOW: place.archive, SLOW_RATE: String(bytesInSecond) },
    nodeArgs: ['--import', new URL('./slow-below.js', import.meta.url).href],
  };
  const server = await startArchived(
    place,
    join(root, 'data'),
    bytesInSecond === undefined ? {} : slowOptions,
  );
  const definition = { columns: { id: 'int', text: 'text' }, primaryKey: 'id' };
  await send(
    server.url,
    '/default_keyspace',
    JSON.stringify({ createTable: { name: 'loaded', definition } }),
  );
  await untilRestorable(place);
  const insert = async (sender: number) => {
    for (let command = 0; command < commandsOfSender; command += 1) {
      const first = (command * senders + sender) * rowsOfCommand;
      const documents = Array.from({ length: rowsOfCommand }, (_, at) => {
        // Keys at random places, so that a commit changes many pages: 7919 is a prime number.
        return { id: ((first + at) * 7919) % rowCount, text: randomBytes(1_500).toString('base64') };
      });
      await send(server.url, table, JSON.stringify({ insertMany: { documents } }));
    }
  };
  await Promise.all(Array.from({ length: senders }, (_, sender) => insert(sender)));
  await untilCaughtUp(server);
  await server.stop();
  assert.equal(generationsIn(place.archive).length, 1);
  assert.match((await move(['check', place.archive])).stdout, /no damage found/);
  const { dataDir } = await restoreFrom(place);
  assert.match((await move(['check', '--data-dir', dataDir])).stdout, new RegExp(` ${rowCount} rows`));
}
