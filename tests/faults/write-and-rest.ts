// A process to kill: commits rows, and lets the write-ahead log be truncated at short rests. Sends the number of rows
// after each commit, and 'truncated' when the log is empty after a rest. Its arguments are the path of the file
// and the seed of its pauses.
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  IdleCheckpoint,
  keptLogBytes,
} from '../../src/data-service/engine/embedded/writes/idle-checkpoint.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { seededRandom } from '../seeded-random.js';

const rowBytes = 100_000;
const rowsPerCommit = Math.ceil((1.2 * keptLogBytes) / rowBytes);
const mostPauseMs = 6;

const [path = '', seed = ''] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const database = openDatabase({ path });
database.exec('CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, x BLOB)');
const rest = new IdleCheckpoint(database, path, { many: 1, few: 1, truncate: 1 });
const insert = database.statement('INSERT INTO t (id, x) VALUES ((SELECT count(*) FROM t), ?)');
const count = database.statement('SELECT count(*) FROM t', { returnArrays: true });
const isLogEmpty = () => statSync(`${path}-wal`).size === 0;
for (;;) {
  database.transaction(() => {
    for (let row = 0; row < rowsPerCommit; row += 1) insert.run([new Uint8Array(rowBytes)]);
  });
  process.send?.(Number(count.get()?.[0]));
  rest.noteMany();
  // On a slow disk a short pause ends before the log is truncated.
  if (random.oneIn(8)) while (!isLogEmpty()) await sleep(1);
  else await sleep(random.below(mostPauseMs + 1));
  if (isLogEmpty()) process.send?.('truncated');
}
