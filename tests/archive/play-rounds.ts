// Rounds of: write rows, documents and tables, kill the server, remove its data directory, restore it from the archive
// or promote the server that follows it, and compare. At the end, moments of all rounds are restored and compared with
// what was there then.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryDirectory, type RunningServer } from '../acceptance/start-server.js';
import { type DataClient, withDataClient } from '../faults/data-client.js';
import { startInProcess } from '../faults/in-process-server.js';
import type { SeededRandom } from '../seeded-random.js';
import {
  type ArchivePlace,
  destroy,
  kill,
  restoreFrom,
  startArchived,
  untilCaughtUp,
  untilRestorable,
} from './archived-server.js';
import { drawFault } from './draw-fault.js';
import type { FaultyProxy } from './faulty-proxy.js';
import { Successors, type WayBack } from './next-first-server.js';
import { createKept, RecordedLoad, readWriter } from './recorded-load.js';
import { findWrongStates, keepState, type RecordedWriter, type WantedMoment } from './recorded-states.js';

/** Where and how long the rounds are played. */
export interface RoundsOptions {
  readonly place: ArchivePlace;
  /** Between the server and the store of the archive; undefined for an archive in a directory. */
  readonly proxy: FaultyProxy | undefined;
  readonly rounds: number;
  /** How the next first server comes about. */
  readonly ways: WayBack;
  /** Whether the servers acknowledge what the archive has, so that no acknowledged change may be missing. */
  readonly isAcknowledgedByArchive: boolean;
  /** How many random moments are restored at the end. */
  readonly moments: number;
  /** An acknowledged change must be in the archive after this time, if the archive can be used. */
  readonly withinMs: number;
  readonly random: SeededRandom;
  readonly report: (line: string) => void;
}

/** What was found. */
export interface RoundsResult {
  readonly acknowledged: number;
  readonly faults: number;
  /** By how much the archive was behind at the end of the rounds whose store worked, at most, in ms. */
  readonly mostBehindMs: number;
  /** In words; empty if everything was as it must be. */
  readonly problems: readonly string[];
}

/** The state of an archive is that of at most a second ago, and a change under way is tried again after 1.6 s. */
const settledMs = 3_000;
const longestLoadMs = 3_000;

/** The writers of a round that has ended, with the changes that were restored. */
interface PlayedRound {
  readonly writers: readonly RecordedWriter[];
  readonly endMs: number;
}

interface StartedRound {
  readonly client: DataClient;
  readonly server: RunningServer;
  readonly round: number;
  /** Gets the round. */
  readonly played: PlayedRound[];
}

interface PlayedFault {
  readonly fault: string;
  /** Rejects if a reply had an error that no fault explains. */
  readonly ended: Promise<unknown>;
  /** Whether the store worked at the end, and the archive had caught up. */
  readonly isOver: boolean;
}

/** Plays the rounds one after another on one archive. */
export async function playRounds(options: RoundsOptions): Promise<RoundsResult> {
  const { place, proxy, rounds, ways, random, report } = options;
  const played: PlayedRound[] = [];
  const problems: string[] = [];
  let [acknowledged, mostBehindMs] = [0, 0];
  const successors = new Successors(place, ways, random);
  let server = await startArchived(place, join(makeTemporaryDirectory(), 'data'));
  try {
    await untilRestorable(place);
    await withDataClient(server, createKept);
    await untilCaughtUp(server);
    await sleep(settledMs);
    const createdMs = Date.now();
    for (let round = 0; round < rounds; round += 1) {
      await successors.prepare();
      const { fault, ended, isOver } = await withDataClient(server, (client) =>
        playLoad({ client, server, round, played }, options),
      );
      await kill(server);
      const killedMs = Date.now();
      await ended.catch((error) => problems.push(`round ${round}, a reply: ${error.message}`));
      await proxy?.setFault(undefined);
      await destroy(server);
      const next = await successors.next();
      server = next.server;
      if (isOver) mostBehindMs = Math.max(mostBehindMs, killedMs - next.completeMs);
      const writers = played.at(-1)?.writers ?? [];
      const wanted = { hasAcknowledgedUntilMs: wantedMs(), lacksSentAfterMs: Number.POSITIVE_INFINITY };
      const wrong = await withDataClient(server, (client) => compare(client, writers, wanted));
      await withDataClient(server, (client) => keepFound(client, writers));
      acknowledged += writers.reduce((sum, { changes }) => sum + changes.length, 0);
      const name = `${next.way}, ${fault}${isOver ? '' : ' until the end'}`;
      problems.push(...wrong.map((problem) => `round ${round} (${name}): ${problem}`));
      report(`round ${round}: ${name}, ${acknowledged} changes, ${wrong.length} problems`);
      for (const problem of wrong) report(problem);

      /** Until when every acknowledged change must be there. */
      function wantedMs(): number {
        if (options.isAcknowledgedByArchive) return killedMs;
        return Math.max(next.completeMs, isOver ? killedMs - options.withinMs : 0);
      }
    }
    problems.push(...(await restoreMoments(options, played, createdMs)));
  } finally {
    await kill(server);
    await successors.close();
  }
  return { acknowledged, faults: proxy?.faultCount() ?? 0, mostBehindMs, problems };
}

/** Loads the server for a random time, in some rounds while the store fails. Returns what it did until the end. */
async function playLoad(
  { client, server, round, played }: StartedRound,
  { proxy, random, withinMs }: RoundsOptions,
): Promise<PlayedFault> {
  const load = new RecordedLoad(client, `r${String(round).padStart(4, '0')}`, random);
  // In a third of the rounds there is no fault, in a third it is over before the end.
  const kind = proxy === undefined ? 0 : random.below(3);
  const fault = kind === 0 ? undefined : drawFault(random);
  await proxy?.setFault(fault);
  await sleep(500 + random.below(longestLoadMs));
  if (kind === 1) {
    await proxy?.setFault(undefined);
    await untilCaughtUp(server);
    await sleep(Math.max(settledMs, withinMs) + random.below(longestLoadMs));
  }
  played.push({ writers: load.writers, endMs: Date.now() });
  return { fault: fault?.kind ?? 'none', ended: load.ended, isOver: kind !== 2 };
}

async function compare(
  client: DataClient,
  writers: readonly RecordedWriter[],
  wanted: WantedMoment,
): Promise<readonly string[]> {
  const found: [RecordedWriter, ReadonlyMap<string, string>][] = [];
  for (const writer of writers) found.push([writer, await readWriter(client, writer)]);
  return findWrongStates(found, wanted);
}

/** The archive continues with what was restored: it never had what was lost. */
async function keepFound(client: DataClient, writers: readonly RecordedWriter[]): Promise<void> {
  for (const writer of writers) keepState(writer, await readWriter(client, writer));
}

async function restoreMoments(
  { place, moments, random, report }: RoundsOptions,
  played: readonly PlayedRound[],
  createdMs: number,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const endMs = played.at(-1)?.endMs ?? createdMs;
  for (let count = 0; count < moments; count += 1) {
    const atMs = createdMs + random.below(endMs - createdMs);
    const { dataDir, completeUntil, stateAt } = await restoreFrom(place, atMs);
    const server = await startInProcess(dataDir);
    try {
      for (const [round, { writers }] of played.entries()) {
        const wanted = { hasAcknowledgedUntilMs: Date.parse(completeUntil), lacksSentAfterMs: atMs };
        const wrong = await compare(server.client, writers, wanted);
        problems.push(...wrong.map((problem) => `the moment ${stateAt}, round ${round}: ${problem}`));
      }
    } finally {
      await server.close();
    }
    rmSync(dataDir, { recursive: true });
    report(`moment ${new Date(atMs).toISOString()}: ${problems.length} problems in all`);
  }
  return problems;
}
