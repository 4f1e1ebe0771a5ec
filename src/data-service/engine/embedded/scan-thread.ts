// A scan thread: runs the slices of long reads on a connection of its own, one after another.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Database } from '../../../foundation/sqlite/open-database.js';
import { type Clock, systemClock } from '../../../foundation/telemetry/clock.js';
import { giveWay } from '../../../foundation/threads/give-way.js';
import { openForReading } from './open-for-reading.js';
import type { ScanReply, ScanRequest, ScanSettings } from './scan-messages.js';
import { takeRows } from './take-rows.js';
import { packFailure } from './thread-failure.js';

/** A scan does not come back to a page: more would only be memory. */
const cacheSizeBytes = 4 * 1024 * 1024;
/** Finds by key beside a scan were half as many again, and the scan a tenth slower. */
const niceness = 10;

function serveScans(port: MessagePort, settings: ScanSettings, clock: Clock): void {
  giveWay(niceness);
  const database = openForReading(settings.path, cacheSizeBytes);
  port.on('message', (request: ScanRequest | 'close') => {
    if (request === 'close') {
      database.close();
      port.close(); // the thread ends by itself, see the writer thread
      return;
    }
    port.postMessage(runSlice(database, request, clock));
  });
  port.postMessage('ready');
}

function runSlice(database: Database, { statements, maxBytes }: ScanRequest, clock: Clock): ScanReply {
  const startedMs = clock.monotonicMs();
  try {
    database.exec('BEGIN');
    let isCut = false;
    const rows = statements.map(({ sql, values, readBigInts }, at) => {
      const statement = database.statement(sql, { returnArrays: true, readBigInts });
      if (at > 0) return statement.all(values);
      const taken = takeRows(statement.iterate(values), maxBytes);
      isCut = taken.isCut;
      return taken.rows;
    });
    return { rows, isCut, elapsedMs: clock.monotonicMs() - startedMs };
  } catch (error) {
    return { failure: packFailure(error) };
  } finally {
    database.endReading();
  }
}

// The data is set by the thread's only maker.
if (parentPort !== null) serveScans(parentPort, workerData as ScanSettings, systemClock);
