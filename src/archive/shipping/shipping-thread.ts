// The archive thread: ships what the server writes, so that no other thread waits for an archive.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../../foundation/http/send-request.js';
import { type Database, openDatabase } from '../../foundation/sqlite/open-database.js';
import { ShippedLog } from '../../foundation/sqlite/shipped-log.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../foundation/threads/serve-thread.js';
import { archivedDatabases } from '../format/names.js';
import { openStore } from '../stores/archive-address.js';
import { ArchiveShipper } from './archive-shipper.js';
import type { ShippingMessage, ShippingRequest, ShippingSettings } from './shipping-messages.js';

/** The time between two looks at the logs. */
const restMs = 250;
/** The time before another attempt after a failure. */
const restAfterFailureMs = 1_000;
/** How long the end of the thread ships what is left. */
const endMs = 2_000;
/** A little below the data service: the archive may be a second behind. */
const niceness = 3;

async function serveShipping(
  { address, directory, shared }: ShippingSettings,
  owner: OwnerPort<ShippingRequest, ShippingMessage>,
): Promise<ThreadWork<ShippingRequest>> {
  const random = (bytes: number) => randomBytes(bytes).toString('hex');
  const store = await openStore(address, { send: sendRequest, clock: systemClock, random: () => random(8) });
  const logs = { data: new ShippedLog(shared.data), ops: new ShippedLog(shared.ops) };
  const shipper = new ArchiveShipper(directory, {
    ...{ store, clock: systemClock, random, logs },
    onGeneration: (generation, reason) => owner.post({ generation, reason }),
  });
  shipper.begin();
  const ending = new AbortController();
  const readers = new KeptReaders(archivedDatabases.map((database) => directory.paths[database]));
  const reporting = setInterval(() => owner.post({ status: shipper.status }), restMs);
  const work = (async () => {
    while (!ending.signal.aborted) {
      const isBusy = await shipper.turn(ending.signal);
      readers.open();
      const ms = shipper.isFailing ? restAfterFailureMs : restMs;
      // The rest of a turn is left to others also while much is to be done.
      await sleep(isBusy ? 0 : ms, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    receive: () => {},
    close: async () => {
      ending.abort();
      await work;
      clearInterval(reporting);
      const limit = AbortSignal.timeout(endMs);
      while (!limit.aborted && ((await shipper.turn(limit)) || shipper.isWaiting) && !shipper.isFailing);
      readers.close();
      shipper.close();
    },
  };
}

/**
 * Connections that only read. While one is open, no other connection moves the log into the file when it closes as the
 * last one, as those do whose statements are collected late.
 */
class KeptReaders {
  readonly #missing: Set<string>;
  readonly #open: Database[] = [];

  constructor(paths: readonly string[]) {
    this.#missing = new Set(paths);
  }

  /** Opens those whose databases exist. */
  open(): void {
    for (const path of this.#missing) {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) continue;
      const database = openDatabase({ path, readOnly: true, cacheSizeBytes: 0 });
      database.statement('SELECT count(*) FROM sqlite_schema').get();
      this.#open.push(database);
      this.#missing.delete(path);
    }
  }

  close(): void {
    for (const database of this.#open) database.close();
  }
}

serveThread(serveShipping, { niceness });
