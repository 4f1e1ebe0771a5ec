// The archive thread: ships what the server writes, so that no other thread waits for an archive.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../../foundation/http/send-request.js';
import { ShippedLog } from '../../foundation/sqlite/shipped-log.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../foundation/threads/serve-thread.js';
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
  const reporting = setInterval(() => owner.post({ status: shipper.status }), restMs);
  const work = (async () => {
    while (!ending.signal.aborted) {
      const isBusy = await shipper.turn(ending.signal);
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
      shipper.close();
    },
  };
}

serveThread(serveShipping, { niceness });
