// Rounds of two servers on one archive: the first one loses the store, is stopped for a while, or has a wrong clock,
// while clients write to both all the time, and the second one is promoted as soon as that is possible.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../acceptance/ops-client.js';
import { makeTemporaryDirectory, type RunningServer, runColonnade } from '../acceptance/start-server.js';
import { DataClient, withDataClient } from '../faults/data-client.js';
import type { SeededRandom } from '../seeded-random.js';
import {
  type ArchivePlace,
  destroy,
  kill,
  promoteAfterLoss,
  startArchived,
  startFollowing,
  untilCaughtUp,
  untilRestorable,
} from './archived-server.js';
import { drawFault } from './draw-fault.js';
import type { FaultyProxy } from './faulty-proxy.js';
import { createKept, RecordedLoad, readWriter } from './recorded-load.js';
import { findWrongStates, type RecordedWriter } from './recorded-states.js';
import { findTwoWriters } from './two-writers.js';

/** One of the two machines. */
export interface Machine {
  readonly place: ArchivePlace;
  /** Between it and the store; undefined for an archive in a directory. */
  readonly proxy: FaultyProxy | undefined;
}

/** Where and how long the rounds are played. */
export interface PartitionsOptions {
  /** Their servers have --archive-takeover yes. */
  readonly machines: readonly [Machine, Machine];
  readonly rounds: number;
  /** An acknowledged change must be in the archive after this time, before the fault begins. */
  readonly withinMs: number;
  /** Whether the servers acknowledge what the archive has, so that no acknowledged change may be missing. */
  readonly isAcknowledgedByArchive: boolean;
  readonly random: SeededRandom;
  readonly report: (line: string) => void;
}

/** What was found. */
export interface PartitionsResult {
  readonly acknowledged: number;
  /** In how many rounds the second server became the first while the other one was there. */
  readonly takeovers: number;
  /** In words; empty if everything was as it must be. */
  readonly problems: readonly string[];
}

/** A server on a machine, whose clock can be set. */
interface Site {
  readonly machine: Machine;
  readonly server: RunningServer;
  readonly setClock: (shiftMs: number) => void;
}

/** What happens to the first server. */
interface Disturbance {
  readonly name: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const clockModule = new URL('shift-clock.js', import.meta.url).href;
/** S3 refuses requests whose time differs by more than a quarter of an hour. */
const clockShifts = [-600_000, -61_000, -2_000, 2_000, 61_000, 600_000] as const;
/** Longer than it takes until a lease of 3 s can be taken, or shorter. */
const shortestFaultMs = 500;
const moreOfFaultMs = 9_000;
const longestBesideMs = 2_000;
const restMs = 200;
const longestCopyMs = 300_000;

/** Plays the rounds one after another on one archive. */
export async function playPartitions(options: PartitionsOptions): Promise<PartitionsResult> {
  const { machines, rounds, report } = options;
  const problems: string[] = [];
  let [acknowledged, takeovers] = [0, 0];
  let written: readonly RecordedWriter[] = [];
  let first = await startSite(machines[0], 'first');
  try {
    await untilRestorable(machines[0].place);
    await withDataClient(first.server, createKept);
    await untilCaughtUp(first.server);
    for (let round = 0; round < rounds; round += 1) {
      const second = await startSite(machines[(round + 1) % 2] ?? machines[0], 'second');
      const played = await playPartition(options, { first, second, round, written }).catch(async (error) => {
        await kill(second.server);
        throw error;
      });
      first = second;
      written = played.written;
      acknowledged += played.acknowledged;
      if (played.isTakeover) takeovers += 1;
      problems.push(...played.wrong.map((problem) => `round ${round} (${played.name}): ${problem}`));
      report(`round ${round}: ${played.name}, ${acknowledged} changes, ${played.wrong.length} problems`);
      for (const problem of played.wrong) report(problem);
    }
  } finally {
    await kill(first.server);
  }
  return { acknowledged, takeovers, problems };
}

interface StartedPartition {
  readonly first: Site;
  readonly second: Site;
  readonly round: number;
  /** The writers of the first server in the round before, when it was the second one. */
  readonly written: readonly RecordedWriter[];
}

interface PlayedPartition {
  readonly name: string;
  readonly isTakeover: boolean;
  readonly acknowledged: number;
  /** What the second server has acknowledged. */
  readonly written: readonly RecordedWriter[];
  readonly wrong: readonly string[];
}

async function playPartition(
  options: PartitionsOptions,
  { first, second, round, written }: StartedPartition,
): Promise<PlayedPartition> {
  const { random, withinMs, isAcknowledgedByArchive } = options;
  const clients = [first, second].map(({ server }) => new DataClient(server.url)) as [DataClient, DataClient];
  const name = `p${String(round).padStart(4, '0')}`;
  const [old, next] = [
    new RecordedLoad(clients[0], `${name}a`, random),
    new RecordedLoad(clients[1], `${name}b`, random, 'untilAcknowledged'),
  ];
  try {
    await sleep((isAcknowledgedByArchive ? 500 : withinMs) + random.below(longestBesideMs));
    const disturbance = drawDisturbance(first, second, random);
    const beganMs = Date.now();
    await disturbance.begin();
    const promotion = promoteWhilePossible(second.server);
    await sleep(shortestFaultMs + random.below(moreOfFaultMs));
    await disturbance.end();
    await sleep(longestBesideMs);
    const isTakeover = await promotion.stop();
    if (!isTakeover) {
      await kill(first.server);
      await promoteAfterLoss(second.server);
    }
    await untilWritten(second.server, next);
    await sleep(random.below(longestBesideMs));
    await Promise.all([old.stop(), next.stop()]);
    await destroy(first.server);
    const wanted = {
      hasAcknowledgedUntilMs: isAcknowledgedByArchive ? Date.now() : beganMs - withinMs,
      lacksSentAfterMs: Number.POSITIVE_INFINITY,
    };
    const found: [RecordedWriter, ReadonlyMap<string, string>][] = [];
    for (const writer of [...written, ...old.writers])
      found.push([writer, await readWriter(clients[1], writer)]);
    const wrong = [
      ...findWrongStates(found, wanted),
      ...findTwoWriters(old.writers, next.writers, disturbance.name.includes('pause') ? beganMs : undefined),
    ];
    const { refused, uncertain } = old.counts;
    return {
      name:
        `${disturbance.name}, ${isTakeover ? 'taken over' : 'killed'}, ` +
        `${refused} refused and ${uncertain} uncertain by the old one`,
      ...{ isTakeover, written: next.writers, wrong },
      acknowledged: countOf(old.writers) + countOf(next.writers),
    };
  } finally {
    for (const client of clients) client.close();
    await kill(first.server);
  }
}

async function startSite(machine: Machine, role: 'first' | 'second'): Promise<Site> {
  const directory = makeTemporaryDirectory();
  const clockFile = join(directory, 'shift');
  const setClock = (shiftMs: number) => writeFileSync(clockFile, String(shiftMs));
  setClock(0);
  const options = {
    nodeArgs: [`--import=${clockModule}`],
    environment: { SHIFT_CLOCK_BY: clockFile },
  };
  const server =
    role === 'first'
      ? await startArchived(machine.place, join(directory, 'data'), options)
      : await startFollowing(machine.place, options);
  return { machine, server, setClock };
}

/** Both may have a wrong clock at the same time. */
function drawDisturbance(first: Site, second: Site, random: SeededRandom): Disturbance {
  const { proxy } = first.machine;
  const fault = proxy === undefined || random.oneIn(3) ? undefined : drawFault(random);
  const clocks = [first, second].filter(() => random.oneIn(3)).map(({ setClock }) => setClock);
  const shiftMs = random.pick(clockShifts);
  return {
    name: `${fault?.kind ?? 'pause'}${clocks.length === 0 ? '' : ` and ${clocks.length} clocks by ${shiftMs} ms`}`,
    begin: async () => {
      for (const setClock of clocks) setClock(shiftMs);
      if (fault === undefined) first.server.signal('SIGSTOP');
      else await proxy?.setFault(fault);
    },
    end: async () => {
      first.server.signal('SIGCONT');
      await proxy?.setFault(undefined);
    },
  };
}

/** Promotes a server as soon as the other one does not renew its lease any more. `stop` says whether it did. */
function promoteWhilePossible({ opsUrl }: RunningServer): { stop: () => Promise<boolean> } {
  let isStopping = false;
  const promoting = (async () => {
    while (!isStopping) {
      const { code } = await runColonnade(['promote', '--ops-url', opsUrl]);
      if (code === 0) return true;
      await sleep(restMs);
    }
    return false;
  })();
  promoting.catch(() => {}); // `stop` reports it
  return {
    stop: () => {
      isStopping = true;
      return promoting;
    },
  };
}

/** A new generation acknowledges what it has a copy of. */
async function untilWritten({ opsUrl, stderr }: RunningServer, load: RecordedLoad): Promise<void> {
  const isWritten = async () => lastOf(load.writers) !== undefined;
  await waitFor('a change of the new server', isWritten, longestCopyMs).catch(async (error) => {
    const health = await (await fetch(`${opsUrl}/health/ready`)).text();
    const { refused, uncertain } = load.counts;
    const counts = `${refused} refused and ${uncertain} uncertain`;
    throw new Error(`${error.message}: ${counts}, ${health}\n${stderr().slice(-4_000)}`);
  });
}

function lastOf(writers: readonly RecordedWriter[]): number | undefined {
  const all = writers.flatMap(({ changes }) => changes.map(({ acknowledgedMs }) => acknowledgedMs ?? 0));
  const last = all.reduce((most, ms) => Math.max(most, ms), 0);
  return last === 0 ? undefined : last;
}

function countOf(writers: readonly RecordedWriter[]): number {
  return writers.reduce((sum, { changes }) => sum + changes.length, 0);
}
