// A scan thread: runs the slices of long reads on a connection of its own, one after another.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { type Clock, systemClock } from '../../../../foundation/telemetry/clock.js';
import { giveWay } from '../../../../foundation/threads/give-way.js';
import { openForReading } from '../file/open-for-reading.js';
import { packFailure } from '../file/thread-failure.js';
import { runSlice } from './run-slice.js';
import type { ScanReply, ScanRequest, ScanSettings } from './scan-messages.js';

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
    port.postMessage(replyTo(database, request, clock));
  });
  port.postMessage('ready');
}

function replyTo(database: Database, request: ScanRequest, clock: Clock): ScanReply {
  try {
    return runSlice(database, request, clock);
  } catch (error) {
    return { failure: packFailure(error) };
  }
}

// The data is set by the thread's only maker.
if (parentPort !== null) serveScans(parentPort, workerData as ScanSettings, systemClock);
