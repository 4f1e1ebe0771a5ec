// A scan thread: runs the slices of long reads on a connection of its own, one after another.
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { serveThread } from '../../../../foundation/threads/serve-thread.js';
import { openForReading } from '../file/open-for-reading.js';
import { packReadError } from '../file/storage-failure.js';
import { runSlice } from './run-slice.js';
import type { ScanReply, ScanRequest, ScanSettings } from './scan-messages.js';

/** A scan does not read a page twice, so a larger cache has no use. */
const cacheSizeBytes = 4 * 1024 * 1024;
/** With this niceness, 50 % more rows per second were found by key during a scan, and the scan was 10 % slower. */
const niceness = 10;

serveThread<ScanSettings, ScanRequest, ScanReply>(
  ({ path }, owner) => {
    const database = openForReading(path, cacheSizeBytes);
    return {
      receive: (request) => {
        let reply: ScanReply;
        try {
          reply = runSlice(database, request, systemClock);
        } catch (error) {
          reply = { failure: packReadError(error) };
        }
        owner.post(reply);
      },
      close: () => database.close(),
    };
  },
  { niceness },
);
