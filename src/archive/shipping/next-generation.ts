// Describes a generation that begins, and what it begins with: copies, or states of an earlier generation.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { expectState } from '../contents/find-state.js';
import { listGenerations } from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { type ArchivedState, encodeFileCopy, type FileCopy, referenceTo } from '../format/file-copy.js';
import { decodeArchive, encodeArchive, encodeGeneration } from '../format/generation.js';
import { noPosition } from '../format/log-position.js';
import {
  type ArchivedDatabase,
  archivedDatabases,
  archiveName,
  copyFolder,
  copyName,
  generationName,
  makeLaterGenerationId,
} from '../format/names.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import { expectRefusal } from '../stores/write-once.js';
import { type ArchiveState, type ChainEnd, type KnownArchive, statePath } from './archive-state.js';
import { mostAheadMs } from './database-shipper.js';
import { type FileState, type FileStates, hasNoLog } from './file-states.js';
import { type Moment, momentOf } from './round-times.js';

/** What a generation is begun with. */
export interface NextParts {
  readonly store: ArchiveStore;
  readonly clock: Clock;
  /** Makes so many random bytes, as hexadecimal digits. */
  readonly random: (bytes: number) => string;
  readonly dataDir: string;
  /** The paths of the databases. */
  readonly paths: Readonly<Record<ArchivedDatabase, string>>;
  /** The archive that was shipped to before; undefined if the data directory knows none. */
  readonly known: KnownArchive | undefined;
}

/** States that the files had when the server started, since when everything is in their logs. */
export interface StartedStates extends FileStates {
  /** When it started. */
  readonly since: Moment;
}

/** What is said about a generation. */
export interface GenerationFacts {
  readonly madeBy: string;
  readonly engine: string;
  /** Why it begins, if that is known already. */
  readonly reason: string | undefined;
  /** The generation that the server followed before it was promoted. */
  readonly followed: string | undefined;
  /** The number of the lease that allows it. */
  readonly epoch: number;
}

/** A generation that begins. */
export interface NextGeneration {
  readonly state: ArchiveState;
  readonly reason: string;
  /** Its description. */
  readonly name: string;
  readonly bytes: Buffer;
  /** In place of the first copies. */
  readonly references: Readonly<Partial<Record<ArchivedDatabase, FileCopy>>>;
}

/** The name and the content of a reference. */
export function referenceObject(copy: FileCopy): { readonly name: string; readonly bytes: Buffer } {
  const name = copyName(copyFolder(copy.generation, copy.database, copy));
  return { name, bytes: encodeFileCopy(copy) };
}

/** Describes the next generation. `base` is used as far as the archive has it. @throws StoreFailure, ArchiveDamaged */
export async function describeNext(
  parts: NextParts,
  facts: GenerationFacts,
  base: StartedStates | undefined,
  signal: AbortSignal,
): Promise<NextGeneration> {
  const { store, clock, random } = parts;
  const archive = await archiveId(parts, signal);
  const last = (await listGenerations(store, signal)).generations.at(-1);
  const generation = makeLaterGenerationId(clock.nowMs(), random(4), last);
  const usable = (await isUsable(store, archive, base, signal)) ? base : undefined;
  const reason = facts.reason ?? whyNew(parts, facts, archive, last, usable);
  const madeMs = clock.nowMs();
  const { madeBy, engine, epoch } = facts;
  const { bytes, sha256 } = encodeGeneration({ generation, archive, madeBy, madeMs, engine, reason, epoch });
  const end: ChainEnd = {
    ...{ sequence: 0, sha256, toMs: madeMs, position: noPosition, isWhole: true, pageBytes: 0 },
    ...{ databasePages: 0, completeMs: 0, roundPiece: 1, roundPrevious: sha256 },
  };
  const ends = { data: end, ops: end };
  const references: Partial<Record<ArchivedDatabase, FileCopy>> = {};
  for (const database of archivedDatabases) {
    const state = usable?.databases[database];
    if (usable === undefined || state === undefined) continue;
    const { beganMs, atMs } = timesOf(usable.since, state.toMs, momentOf(clock));
    // A log behind the file as it was at the start has everything since.
    const { file } = state;
    const waitingSinceMs = hasNoLog(parts.paths[database]) ? undefined : atMs;
    const times = { toMs: Math.max(madeMs, atMs), waitingSinceMs };
    ends[database] = { ...end, ...times, file, continuesState: true };
    references[database] = referenceOf(
      { database, generation, sha256, beganMs, atMs },
      state,
      usable.generation,
    );
  }
  const state = { archive, title: store.title, generation, generationSha256: sha256, ends };
  return { state, reason, name: generationName(generation), bytes, references };
}

/** Whether the archive has the states, which must be in it still. @throws StoreFailure */
async function isUsable(
  store: ArchiveStore,
  archive: string,
  base: StartedStates | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (base?.archive !== archive) return false;
  try {
    for (const database of archivedDatabases) {
      const state = base.databases[database];
      if (state === undefined) continue;
      const named = stateIn(base.generation, state);
      await expectState(store, 'the data directory', database, named, signal);
    }
    return true;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return false;
    throw error;
  }
}

function stateIn(generation: string, { sequence, sha256 }: FileState): ArchivedState {
  return { generation, sequence, sha256 };
}

/**
 * The times of a state that a file has had since a start, in ms since 1970. The clock may have been set since then,
 * such as by a machine that has none of its own: the state must not be found at moments before it.
 */
function timesOf(since: Moment, toMs: number, now: Moment): Pick<FileCopy, 'beganMs' | 'atMs'> {
  const sinceMs = now.nowMs - Math.round(now.monotonicMs - since.monotonicMs);
  // Pieces that follow a time far ahead are refused: then it was the clock of the earlier server that was wrong.
  const atMs = toMs - now.nowMs > mostAheadMs ? sinceMs : Math.max(sinceMs, toMs);
  // The monotonic clock can stand still while the machine sleeps, so commits may be older than it says.
  return { beganMs: Math.min(since.nowMs, sinceMs), atMs };
}

function referenceOf(
  of: Pick<FileCopy, 'database' | 'generation' | 'beganMs' | 'atMs'> & { readonly sha256: string },
  state: FileState,
  generation: string,
): FileCopy {
  const { pageBytes, file } = state;
  const databasePages = Math.floor(file.bytes / pageBytes);
  return referenceTo({ ...of, state: stateIn(generation, state), pageBytes, databasePages });
}

/** Why a generation begins although this process gave no chain up. */
function whyNew(
  { known }: NextParts,
  { followed }: GenerationFacts,
  archive: string,
  last: string | undefined,
  base: StartedStates | undefined,
): string {
  if (last === undefined) return 'the archive is new';
  if (known !== undefined)
    return known.archive === archive
      ? 'changes of the data directory were not shipped'
      : 'the data directory was shipped to another archive before';
  if (followed !== undefined) return `the server followed the generation ${followed}, and was promoted`;
  return base === undefined
    ? 'the data directory has not been shipped to this archive before'
    : `the data directory was restored from the generation ${base.generation}`;
}

/** The id of the archive, which is made if there is none. @throws StoreFailure if there was one */
export async function archiveId(
  { store, clock, random, known, dataDir }: NextParts,
  signal: AbortSignal,
): Promise<string> {
  const found = await store.read(archiveName, signal);
  if (found !== undefined)
    return decodeArchive(archiveName, await expectRefusal(store, archiveName, found, signal)).archive;
  if (known?.title === store.title)
    throw new StoreFailure(
      `${store.title} had an archive, and has none now: is its disk mounted? To begin another one there, stop the ` +
        `server and remove archive-lease.json and ${statePath(dataDir)}`,
      true,
    );
  await store.write(archiveName, encodeArchive({ archive: random(16), madeMs: clock.nowMs() }), signal);
  const made = await store.read(archiveName, signal);
  if (made === undefined) throw new StoreFailure(`the archive ${store.title} lacks ${archiveName}`, true);
  return decodeArchive(archiveName, await expectRefusal(store, archiveName, made, signal)).archive;
}
