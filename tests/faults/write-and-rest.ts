// A process to kill: commits rows, and lets the write-ahead log be truncated at short rests. Sends the number of rows
// after each commit, and 'truncated' when the log is empty before the next one.
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  IdleCheckpoint,
  keptLogBytes,
} from '../../src/data-service/engine/embedded/writes/idle-checkpoint.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';

const rowBytes = 100_000;
const rowsPerCommit = Math.ceil((1.2 * keptLogBytes) / rowBytes);
const mostPauseMs = 6;

const [path = ''] = process.argv.slice(2);
const database = openDatabase({ path });
database.exec('CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, x BLOB)');
const rest = new IdleCheckpoint(database, path, { many: 1, few: 1, truncate: 1 });
const insert = database.statement('INSERT INTO t (id, x) VALUES ((SELECT count(*) FROM t), ?)');
const count = database.statement('SELECT count(*) FROM t', { returnArrays: true });
for (;;) {
  if (statSync(`${path}-wal`).size === 0) process.send?.('truncated');
  database.transaction(() => {
    for (let row = 0; row < rowsPerCommit; row += 1) insert.run([new Uint8Array(rowBytes)]);
  });
  process.send?.(Number(count.get()?.[0]));
  rest.noteMany();
  await sleep(Math.random() * mostPauseMs);
}
