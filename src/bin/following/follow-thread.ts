// The thread that follows an archive: it makes the data directory, and then applies what comes, so that no other thread
// waits for an archive.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotInArchive, readArchive } from '../../archive/contents/list-contents.js';
import { RangeReader } from '../../archive/contents/range-reader.js';
import { ArchiveFollower } from '../../archive/following/archive-follower.js';
import { hasNext, readFollowState } from '../../archive/following/follow-state.js';
import { type Promotion, promote } from '../../archive/following/promote.js';
import { PromotionUncertain } from '../../archive/following/promotion-refused.js';
import type { ArchivedDatabase } from '../../archive/format/names.js';
import { placeOf } from '../../archive/lease/known-lease.js';
import { noteFileStates } from '../../archive/shipping/file-states.js';
import { openStore } from '../../archive/stores/archive-address.js';
import { sendRequest } from '../../foundation/http/send-request.js';
import { limitedSignal } from '../../foundation/limited-signal.js';
import { PageWriter } from '../../foundation/sqlite/page-writer.js';
import { prepareSums } from '../../foundation/sqlite/prepare-sums.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../../foundation/threads/serve-thread.js';
import { storageLayout } from '../storage/storage-layout.js';
import type {
  FollowedDirectory,
  FollowMessage,
  FollowRequest,
  FollowSettings,
  PromoteRequest,
  RefusedPromotion,
} from './follow-messages.js';
import { expectFollower, type Making, makeNext, moveNext } from './make-followed.js';

/** The time between two looks at the archive. */
const restMs = 300;
/** The time before another attempt after a failure. */
const restAfterFailureMs = 1_000;
/** How long a start waits for the first copies of an archive. */
const mostTries = 60;
/** After so long a start answers with the state that it has, and its health says how far it is behind. */
const mostCatchUpMs = 10_000;
/** The time before another attempt to make the data again, which doubles: each may download all of them. */
const firstRestOfMakingMs = 1_000;
const mostRestOfMakingMs = 300_000;
/** A little below the data service: a follower may be some seconds behind. */
const niceness = 3;

async function serveFollowing(
  { address, directory }: FollowSettings,
  owner: OwnerPort<FollowRequest, FollowMessage>,
): Promise<ThreadWork<FollowRequest>> {
  const store = await openStore(address, {
    send: sendRequest,
    clock: systemClock,
    random: () => hex(8),
  });
  const ending = new AbortController();
  const making: Making = {
    ...{ store, directory, interrupted: ending.signal },
    onProgress: (share) => owner.post({ kind: 'making', share }),
  };
  await expectFollower(store, directory);
  if (!hasNext(directory) && readFollowState(directory.dataDir) === undefined) {
    await makeFirst(making);
    owner.post({ kind: 'made' });
    // The checks had the files open under the names that they had then. SQLite closes them with the thread.
    return { receive: () => {}, close: () => store.close() };
  }
  if (hasNext(directory)) await moveNext(directory);
  const writers = await openWriters(directory);
  const state = readFollowState(directory.dataDir);
  if (state === undefined) throw new Error(`${directory.dataDir} lost its state`);
  const { dataDir } = directory;
  const follower = new ArchiveFollower({ store, clock: systemClock, dataDir, writers }, state);
  await catchUp(follower, ending.signal);
  const report = () => owner.post({ kind: 'status', status: follower.status, isKept: store.hangs });
  report();
  const reporting = setInterval(report, restMs);
  let asked: PromoteRequest | undefined;
  const work = follow(follower, making, {
    onRemade: () => owner.post({ kind: 'remade' }),
    promoteIfAsked: async () => {
      const request = asked;
      asked = undefined;
      if (request === undefined) return false;
      const refused = await tryPromotion({ follower, store, dataDir }, request, ending.signal);
      owner.post(refused === undefined ? { kind: 'promoted' } : { kind: 'refused', ...refused });
      return refused === undefined;
    },
  });
  const reader = new RangeReader(store, systemClock);
  return {
    receive: (request) => {
      if (request.kind === 'promote') asked = request;
      else void reader.read(ending.signal).then((read) => owner.post({ kind: 'ranges', read }));
    },
    close: async () => {
      ending.abort();
      await work;
      clearInterval(reporting);
      report();
      follower.save();
      await closeWriters(writers, directory);
      store.close();
    },
  };
}

/** Promotes the server; returns why it cannot be promoted now, or undefined. */
async function tryPromotion(
  own: { readonly follower: ArchiveFollower } & Pick<Promotion, 'store' | 'dataDir'>,
  { isForced }: PromoteRequest,
  signal: AbortSignal,
): Promise<RefusedPromotion | undefined> {
  const place = placeOf(own.dataDir);
  const holder = { server: hex(16), host: hostname(), url: '', opsUrl: '', place };
  const parts = { clock: systemClock, random: hex, watch: own.follower.lease, holder };
  try {
    await promote({ ...own, ...parts, isForced, signal });
    return undefined;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { problem, needsForce: error instanceof PromotionUncertain };
  }
}

/** Notes for a server that was promoted which states its files have. Without the note, it begins with copies. */
async function closeWriters(
  writers: Readonly<Record<ArchivedDatabase, PageWriter>>,
  directory: FollowedDirectory,
): Promise<void> {
  for (const writer of Object.values(writers)) writer.close();
  const state = readFollowState(directory.dataDir);
  if (state?.role !== 'promoted') return;
  const { data, ops } = await pathsOf(directory);
  const { places } = state;
  noteFileStates(directory.dataDir, state, [
    { ...places.data, database: 'data', path: data },
    { ...places.ops, database: 'ops', path: ops },
  ]);
}

/** What the archive has already is shown from the first reply on, if that does not take long. */
async function catchUp(follower: ArchiveFollower, ended: AbortSignal): Promise<void> {
  const signal = limitedSignal(mostCatchUpMs, ended);
  while ((await follower.turn(signal)) && !signal.aborted);
}

/** Waits for the first complete copies: the first server may have started at the same time. */
async function makeFirst(making: Making): Promise<void> {
  await readArchive(making.store);
  for (let tries = 1; ; tries += 1) {
    try {
      await makeNext(making);
      return;
    } catch (error) {
      if (!(error instanceof NotInArchive) || tries === mostTries) throw error;
      await sleep(restAfterFailureMs);
    }
  }
}

async function openWriters(directory: FollowedDirectory) {
  const { data: rows, ops } = await pathsOf(directory);
  const open = async (path: string) => {
    await prepareSums(path);
    return new PageWriter(path, () => randomBytes(8));
  };
  const data = await open(rows);
  try {
    return { data, ops: await open(ops) };
  } catch (error) {
    data.close();
    throw error;
  }
}

async function pathsOf(directory: FollowedDirectory): Promise<Readonly<Record<ArchivedDatabase, string>>> {
  const { databases } = await storageLayout(directory);
  const pathOf = (wanted: string) => {
    const found = databases.find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`a data directory has no ${wanted}`);
    return found.path;
  };
  return { data: pathOf('data.db'), ops: pathOf('ops/ops.db') };
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** What happens beside following. */
interface FollowSteps {
  readonly onRemade: () => void;
  /** Returns whether the server is promoted. */
  readonly promoteIfAsked: () => Promise<boolean>;
}

/** Until the end, or until the data directory has been made again, or the server is promoted. */
async function follow(
  follower: ArchiveFollower,
  making: Making,
  { onRemade, promoteIfAsked }: FollowSteps,
): Promise<void> {
  const { interrupted: signal } = making;
  let [makeAtMs, restOfMakingMs] = [0, firstRestOfMakingMs];
  while (!signal.aborted) {
    if (await promoteIfAsked()) return;
    const isBusy = await follower.turn(signal);
    if (follower.mustRemake && !signal.aborted && systemClock.monotonicMs() >= makeAtMs) {
      try {
        await makeNext(making);
        onRemade();
        return;
      } catch (error) {
        if (signal.aborted) return;
        follower.note(error);
        makeAtMs = systemClock.monotonicMs() + restOfMakingMs;
        restOfMakingMs = Math.min(restOfMakingMs * 2, mostRestOfMakingMs);
      }
    }
    const ms = follower.status.problem === undefined ? restMs : restAfterFailureMs;
    await sleep(isBusy ? 0 : ms, undefined, { signal }).catch(() => {});
  }
}

serveThread(serveFollowing, { niceness });
