// The archive thread: ships what the server writes, so that no other thread waits for an archive.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../../foundation/http/send-request.js';
import { ShippedLog } from '../../foundation/sqlite/shipped-log.js';
import { WritePermit } from '../../foundation/sqlite/write-permit.js';
import { processClock, systemClock } from '../../foundation/telemetry/clock.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../foundation/threads/serve-thread.js';
import { RangeReader } from '../contents/range-reader.js';
import { placeOf } from '../lease/known-lease.js';
import { LeaseKeeper } from '../lease/lease-keeper.js';
import { LeaseWatch } from '../lease/lease-watch.js';
import { openStore } from '../stores/archive-address.js';
import { ArchiveShipper } from './archive-shipper.js';
import { restAfterLook, restMs } from './rest-after-look.js';
import type { ShippingMessage, ShippingRequest, ShippingSettings } from './shipping-messages.js';

/** The rest ends after such a part when writes wait for the shipping. */
const restPartMs = 100;
/** The time before another attempt after a failure. */
const restAfterFailureMs = 1_000;
/** How long the end of the thread ships what is left. */
const endMs = 2_000;
/** A little below the data service: the archive may be a second behind. */
const niceness = 3;

/** How often the lease is looked at, which a write waits for after the machine has slept. */
const leaseRestMs = 100;

async function serveShipping(
  { address, directory, shared, lease }: ShippingSettings,
  owner: OwnerPort<ShippingRequest, ShippingMessage>,
): Promise<ThreadWork<ShippingRequest>> {
  const random = (bytes: number) => randomBytes(bytes).toString('hex');
  const store = await openStore(address, { send: sendRequest, clock: systemClock, random: () => random(8) });
  const logs = { data: new ShippedLog(shared.data), ops: new ShippedLog(shared.ops) };
  const keeper = new LeaseKeeper({
    ...{ store, clock: processClock, random, terms: lease, dataDir: directory.dataDir },
    watch: new LeaseWatch(store, processClock),
    holder: { host: lease.host, url: '', opsUrl: '', place: placeOf(directory.dataDir) },
    permit: new WritePermit(lease.permit),
    sleep: (ms) => sleep(ms),
    onWait: (waitsFor) => owner.post({ waitsFor }),
  });
  await keeper.begin();
  const shipper = new ArchiveShipper(directory, {
    ...{ store, clock: processClock, random, logs },
    refusal: () =>
      keeper.isValid ? undefined : (keeper.status.problem ?? 'the lease of the archive has ended'),
    term: () => keeper.status.term,
    onGeneration: (generation, reason) => owner.post({ generation, reason }),
  });
  shipper.begin();
  const ending = new AbortController();
  const report = (lease = keeper.status) => {
    if (lease.problem !== undefined || shipper.isHeldUp) shipper.countWaiting();
    const { status } = shipper;
    const problem = status.problem ?? lease.problem;
    owner.post({ status: { ...status, problem, lease, isKept: store.hangs } });
  };
  const reporting = setInterval(() => report(), restMs);
  const leaseEnding = new AbortController();
  const holding = holdLease(keeper, leaseEnding.signal);
  const calls = new ShipCalls(shipper, keeper, (shippedMs) => owner.post({ shippedMs }));
  const isAwaited = () => Object.values(logs).some((log) => log.isAwaited);
  const work = ship(shipper, calls, isAwaited, ending.signal);
  const reader = new RangeReader(store, processClock);
  return {
    receive: (request) => {
      if ('address' in request) keeper.setAddress(request.address);
      else if ('read' in request) void reader.read(ending.signal).then((read) => owner.post({ read }));
      else calls.call();
    },
    close: async () => {
      ending.abort();
      calls.end();
      await work;
      clearInterval(reporting);
      const limit = AbortSignal.timeout(endMs);
      while (!limit.aborted && ((await shipper.turn(limit)) || shipper.isWaiting) && !shipper.isFailing);
      leaseEnding.abort();
      await holding;
      const lease = keeper.status; // without a lease it would refuse writes, which end before
      await keeper.end(shipper.isWhole, AbortSignal.timeout(endMs));
      report(lease); // whether a call hangs that keeps the thread
      shipper.close();
    },
  };
}

async function holdLease(keeper: LeaseKeeper, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    await keeper.tick(ending);
    await sleep(leaseRestMs, undefined, { signal: ending }).catch(() => {});
  }
}

async function ship(
  shipper: ArchiveShipper,
  calls: ShipCalls,
  isAwaited: () => boolean,
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    calls.begin();
    const before = performance.eventLoopUtilization();
    const beganMs = processClock.monotonicMs();
    const isBusy = await shipper.turn(ending);
    calls.report();
    const { active } = performance.eventLoopUtilization(before);
    const tookMs = processClock.monotonicMs() - beganMs;
    const ms = shipper.isFailing ? restAfterFailureMs : restAfterLook(tookMs, active);
    // The rest of a turn is left to others also while much is to be done.
    let leftMs = isBusy || calls.isCalled ? 0 : ms;
    do {
      await sleep(Math.min(leftMs, restPartMs), undefined, { signal: calls.wakes }).catch(() => {});
      leftMs -= restPartMs;
    } while (leftMs > 0 && !calls.wakes.aborted && (shipper.isFailing || !isAwaited()));
  }
}

/** Calls for a turn at once, by writes that wait for the archive. */
class ShipCalls {
  readonly #shipper: ArchiveShipper;
  readonly #keeper: LeaseKeeper;
  readonly #post: (shippedMs: number) => void;
  #waking = new AbortController();
  #isCalled = false;
  #shippedMs = Number.NEGATIVE_INFINITY;

  constructor(shipper: ArchiveShipper, keeper: LeaseKeeper, post: (shippedMs: number) => void) {
    this.#shipper = shipper;
    this.#keeper = keeper;
    this.#post = post;
  }

  /** Ends a rest early. */
  get wakes(): AbortSignal {
    return this.#waking.signal;
  }

  /** Whether a call came since `begin`, which the turn may have missed. After a failure it waits as all do. */
  get isCalled(): boolean {
    return this.#isCalled && !this.#shipper.isFailing;
  }

  /** Called before each turn. */
  begin(): void {
    this.#isCalled = false;
    this.#waking = new AbortController();
  }

  call(): void {
    this.#isCalled = true;
    if (!this.#shipper.isFailing) this.#waking.abort();
  }

  end(): void {
    this.#waking.abort();
  }

  /** Called after each turn. What was shipped counts only while no other server can have taken over. */
  report(): void {
    const { data, ops } = this.#shipper.status.databases;
    if (data.shippedMs === undefined || ops.shippedMs === undefined || !this.#keeper.isValid) return;
    if (data.shippedMs <= this.#shippedMs) return;
    this.#shippedMs = data.shippedMs;
    this.#post(data.shippedMs);
  }
}

serveThread(serveShipping, { niceness });
