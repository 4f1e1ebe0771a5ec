// Ships the changes of a data directory to an archive: begins and continues generations, and gives each work its turn.
import { getSystemErrorName } from 'node:util';
import type { ShippedLog } from '../../foundation/sqlite/shipped-log.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { listGenerations } from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { type LogPosition, noPosition } from '../format/log-position.js';
import { type ArchivedDatabase, archivedDatabases, generationName } from '../format/names.js';
import { sha256Of } from '../format/sealed-object.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import { writeOnce } from '../stores/write-once.js';
import {
  type ArchiveState,
  type ChainEnd,
  earliest,
  forgetChains,
  type KnownArchive,
  lackingSinceOf,
  readArchiveState,
  writeArchiveState,
} from './archive-state.js';
import type { ArchiveStatus, DatabaseStatus } from './archive-status.js';
import { ChainBroken } from './chain-broken.js';
import { ChainShipper } from './chain-shipper.js';
import { takeFileStates } from './file-states.js';
import { FilesShipper, type ShippedFile } from './files-shipper.js';
import { findContinuation } from './find-place.js';
import {
  archiveId,
  describeNext,
  type NextGeneration,
  type NextParts,
  referenceObject,
  type StartedStates,
} from './next-generation.js';
import { RetentionTurns } from './retention-turns.js';
import { momentOf } from './round-times.js';

/** What is shipped. Plain data, which crosses threads. */
export interface ShippedDirectory {
  readonly dataDir: string;
  /** The paths of the databases. */
  readonly paths: Readonly<Record<ArchivedDatabase, string>>;
  /** The small files, by their names in the data directory. */
  readonly files: readonly ShippedFile[];
  /** Such as `colonnade 0.1.0`. */
  readonly madeBy: string;
  readonly engine: string;
  /** Moments of so many days can be restored. */
  readonly keptDays: number;
  /** The generation that the server followed before it was promoted; undefined for one that was not. */
  readonly followed?: string | undefined;
}

/** What shipping uses of its surroundings. */
export interface ShippingParts {
  readonly store: ArchiveStore;
  readonly clock: Clock;
  /** Makes so many random bytes, as hexadecimal digits. */
  readonly random: (bytes: number) => string;
  readonly logs: Readonly<Record<ArchivedDatabase, ShippedLog>>;
  /** Called with a sentence about each new generation, for the log of the server. */
  readonly onGeneration: (generation: string, reason: string) => void;
  /** Why this server may not write to the archive now; undefined if it may. */
  readonly refusal?: () => string | undefined;
  /** The number of the lease that allows it; 0 without one. */
  readonly term?: () => number;
}

const heldUpMs = 1_000; // a turn takes some tenths of a second

/** Ships one data directory. Only one call runs at a time, except `status`. */
export class ArchiveShipper {
  readonly #directory: ShippedDirectory;
  readonly #parts: ShippingParts;
  /** The archive that was shipped to before, also if its chains were given up. */
  #known: KnownArchive | undefined;
  #state: ArchiveState | undefined;
  /** The generation that begins, until the data directory knows it. */
  #begun: NextGeneration | undefined;
  /** What the files were when this server started, until a generation has begun. */
  #states: StartedStates | undefined;
  #chains: Readonly<Record<ArchivedDatabase, ChainShipper>> | undefined;
  /** Whether the archive was compared with the state, since it could not be used last. */
  #isCompared = false;
  #hasContinued = false; // behind the pieces that an earlier process wrote last
  /** Why the next generation begins, if this process gave a chain up. */
  #reason: string | undefined;
  #problem: string | undefined;
  #problemSinceMs = 0;
  #turnSinceMs = Number.POSITIVE_INFINITY; // of the present turn; monotonic
  #files: FilesShipper | undefined;
  readonly #retention: RetentionTurns;

  constructor(directory: ShippedDirectory, parts: ShippingParts) {
    this.#directory = directory;
    this.#parts = parts;
    const { store, clock } = parts;
    this.#retention = new RetentionTurns({ store, clock, keptDays: directory.keptDays });
  }

  /**
   * Finds out whether the chains of an earlier process continue. Call it before the databases are opened: from then on
   * their checkpoints wait for the shipping.
   */
  begin(): void {
    const { dataDir, paths } = this.#directory;
    const base = takeFileStates(dataDir, paths);
    if (base !== undefined) {
      this.#states = { ...base, since: momentOf(this.#parts.clock) };
      for (const database of archivedDatabases)
        if (base.databases[database] !== undefined) hold(this.#parts.logs[database], noPosition);
      return;
    }
    const state = readArchiveState(dataDir);
    this.#known = state;
    if (state === undefined || !('ends' in state)) return;
    const rests: Partial<Record<ArchivedDatabase, boolean>> = {};
    for (const database of archivedDatabases) {
      const found = findContinuation(paths[database], state.ends[database]);
      if (found.kind === 'gap') {
        this.#giveUp(`${database}.db: ${found.reason}`);
        return;
      }
      rests[database] = found.kind === 'rest';
    }
    for (const database of archivedDatabases)
      hold(this.#parts.logs[database], state.ends[database].position, rests[database]);
    this.#state = state;
    this.#chains = this.#makeChains(state);
  }

  /** Does a part of the work. Returns whether more can be done at once. */
  async turn(signal: AbortSignal): Promise<boolean> {
    this.#turnSinceMs = this.#parts.clock.monotonicMs();
    try {
      const refusal = this.#parts.refusal?.();
      if (refusal !== undefined) throw new StoreFailure(refusal, true);
      const isBusy = await this.#work(signal);
      this.#note(undefined);
      return isBusy;
    } catch (error) {
      const isOfChain = error instanceof ChainBroken || error instanceof ArchiveDamaged;
      if (isOfChain && this.#state !== undefined) {
        this.#giveUp(error.message);
        return true;
      }
      // Without a chain it is the archive itself that cannot be used.
      if (!(isOfChain || error instanceof StoreFailure || isOfFiles(error))) throw error;
      // The archive may be another one when it can be used again, such as an earlier copy of it.
      this.#isCompared = false;
      this.#note(error.message);
      this.countWaiting();
      return false;
    } finally {
      this.#turnSinceMs = Number.POSITIVE_INFINITY;
    }
  }

  /** Whether a turn waits for long, such as for an archive that does not answer: nobody looks at the logs meanwhile. */
  get isHeldUp(): boolean {
    return this.#parts.clock.monotonicMs() - this.#turnSinceMs >= heldUpMs;
  }

  /** Counts what the server writes in an outage. It may run beside another call. */
  countWaiting(): void {
    try {
      for (const database of archivedDatabases) this.#chains?.[database].countWaiting();
    } catch (error) {
      if (!isOfFiles(error)) throw error; // the next turn tries again
    }
  }

  /** Whether the last turn failed. */
  get isFailing(): boolean {
    return this.#problem !== undefined;
  }

  /** Whether commits were found that are not in the archive. */
  get isWaiting(): boolean {
    return archivedDatabases.some((database) => (this.#chains?.[database].status.behindMs ?? 0) > 0);
  }

  /** Whether a restore of the present generation would give every commit that was found. */
  get isWhole(): boolean {
    const hasCopies = archivedDatabases.every(
      (database) => this.#chains?.[database].status.copyAtMs !== undefined,
    );
    return hasCopies && !this.isWaiting && !this.isFailing;
  }

  /** Closes the database files, after the server has closed the databases. */
  close(): void {
    for (const database of archivedDatabases) this.#chains?.[database].close();
    this.#parts.store.close();
  }

  /** How far it is. */
  get status(): ArchiveStatus {
    const chains = this.#chains;
    const statusOf = (database: ArchivedDatabase) =>
      chains === undefined ? this.#withoutChain : chains[database].status;
    return {
      archive: this.#parts.store.title,
      generation: this.#state?.generation,
      problem: this.#problem ?? this.#gateProblem,
      databases: { data: statusOf('data'), ops: statusOf('ops') },
    };
  }

  /** The thread that writes a database could not prepare a checkpoint: the log grows. */
  get #gateProblem(): string | undefined {
    const failed = archivedDatabases.find((database) => this.#parts.logs[database].gateError !== 0);
    if (failed === undefined) return undefined;
    const name = getSystemErrorName(this.#parts.logs[failed].gateError);
    return `the end of the log of ${failed}.db cannot be noted (${name}): the log grows`;
  }

  /** Without a chain everything since the beginning of the problem is missing. */
  get #withoutChain(): DatabaseStatus {
    const problemMs = this.#problem === undefined ? this.#parts.clock.nowMs() : this.#problemSinceMs;
    const sinceMs = this.#lackingSinceMs ?? problemMs;
    return {
      behindMs: Math.max(0, this.#parts.clock.nowMs() - sinceMs),
      waitingBytes: 0,
      shippedThroughMs: undefined,
      sequence: 0,
      copyAtMs: undefined,
    };
  }

  /** Since when the archive lacks changes, of chains that were given up. */
  get #lackingSinceMs(): number | undefined {
    const chains = this.#chains;
    if (chains === undefined) return this.#known && lackingSinceOf(this.#known);
    return earliest(archivedDatabases.map((database) => chains[database].waitingSinceMs));
  }

  #note(problem: string | undefined): void {
    if (problem !== undefined && this.#problem === undefined)
      this.#problemSinceMs = this.#parts.clock.nowMs();
    this.#problem = problem;
    for (const database of archivedDatabases) this.#parts.logs[database].setFailing(problem !== undefined);
  }

  #giveUp(reason: string): void {
    for (const database of archivedDatabases) this.#parts.logs[database].setMode('givenUp');
    this.#reason = reason;
    this.#state = undefined;
    try {
      forgetChains(this.#directory.dataDir, this.#lackingSinceMs);
    } catch (error) {
      // A later start finds the same gap, and the next generation replaces the state.
      if (!isOfFiles(error)) throw error;
    }
  }

  async #work(signal: AbortSignal): Promise<boolean> {
    const chains = await this.#begunChains(signal);
    let isBusy = false;
    for (const database of archivedDatabases) if (await chains[database].shipPieces(signal)) isBusy = true;
    const { generation = '' } = this.#state ?? {};
    this.#files ??= new FilesShipper(this.#directory.files, generation, this.#parts);
    await this.#files.ship(signal);
    for (const database of archivedDatabases) if (await chains[database].copySome(signal)) isBusy = true;
    const unfinished = archivedDatabases.flatMap((database) => chains[database].unfinishedCopy ?? []);
    if (await this.#retention.removeSome({ generation, unfinished }, signal)) isBusy = true;
    return isBusy;
  }

  async #begunChains(signal: AbortSignal): Promise<Readonly<Record<ArchivedDatabase, ChainShipper>>> {
    if (this.#state !== undefined && this.#chains !== undefined && !this.#isCompared) {
      await this.#compare(this.#state, this.#chains, signal);
      this.#isCompared = true;
    }
    if (this.#state !== undefined && this.#chains !== undefined) return this.#chains;
    return this.#beginGeneration(signal);
  }

  /** @throws ChainBroken if the archive does not have what the state says */
  async #compare(
    state: ArchiveState,
    chains: Readonly<Record<ArchivedDatabase, ChainShipper>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { store } = this.#parts;
    if ((await archiveId(this.#next, signal)) !== state.archive)
      throw new ChainBroken('the archive is another one than before');
    const generation = await store.read(generationName(state.generation), signal);
    if (generation === undefined || sha256Of(generation) !== state.generationSha256)
      throw new ChainBroken('the archive does not have the generation');
    // Readers look at the last one, so that changes in an earlier one would not be found.
    if ((await listGenerations(store, signal)).generations.at(-1) !== state.generation)
      throw new ChainBroken('another server has begun a later generation');
    for (const database of archivedDatabases) {
      await chains[database].expectLast(signal);
      if (!this.#hasContinued) await chains[database].continue(signal);
    }
    this.#hasContinued = true;
  }

  async #beginGeneration(signal: AbortSignal): Promise<Readonly<Record<ArchivedDatabase, ChainShipper>>> {
    const { store, logs, onGeneration } = this.#parts;
    this.#begun ??= await this.#describe(signal);
    const { state, name, bytes, reason, references } = this.#begun;
    if (!(await writeOnce(store, name, bytes, signal))) {
      this.#begun = undefined;
      throw new StoreFailure(`another server began ${name} of the archive ${store.title}`, true);
    }
    const files = new FilesShipper(this.#directory.files, state.generation, this.#parts);
    await this.#writeReferences(references, files, signal);
    writeArchiveState(this.#directory.dataDir, state);
    this.#begun = undefined;
    this.#states = undefined;
    this.#known = state;
    this.#state = state;
    this.#isCompared = true;
    this.#hasContinued = true;
    this.#files = files;
    this.#chains = this.#makeChains(state, references);
    for (const database of archivedDatabases)
      if (references[database] === undefined) hold(logs[database], noPosition); // others are held since the start
    onGeneration(state.generation, reason);
    return this.#chains;
  }

  /** With the rows a generation can be restored, so the small files and then the operations data come before. */
  async #writeReferences(
    references: NextGeneration['references'],
    files: FilesShipper,
    signal: AbortSignal,
  ): Promise<void> {
    const { store } = this.#parts;
    const copies = [references.ops, references.data].filter((copy) => copy !== undefined);
    if (copies.length > 0) await files.ship(signal);
    for (const copy of copies) {
      const { name, bytes } = referenceObject(copy);
      if (!(await writeOnce(store, name, bytes, signal)))
        throw new StoreFailure(`the archive ${store.title} has another ${name}`, false);
    }
  }

  #describe(signal: AbortSignal): Promise<NextGeneration> {
    const { madeBy, engine, followed } = this.#directory;
    // What was moved into a file without being shipped is in no piece.
    const isLost = archivedDatabases.some((database) => this.#parts.logs[database].mode === 'givenUp');
    if (isLost) this.#states = undefined;
    const epoch = this.#parts.term?.() ?? 0;
    const facts = { madeBy, engine, reason: this.#reason, followed, epoch };
    return describeNext(this.#next, facts, this.#states, signal);
  }

  get #next(): NextParts {
    const { store, clock, random } = this.#parts;
    const { dataDir, paths } = this.#directory;
    return { store, clock, random, dataDir, paths, known: this.#known };
  }

  #makeChains(
    state: ArchiveState,
    references: NextGeneration['references'] = {},
  ): Readonly<Record<ArchivedDatabase, ChainShipper>> {
    const chains = this.#chains;
    const lackingSinceMs = this.#lackingSinceMs;
    const left =
      lackingSinceMs === undefined ? undefined : { file: undefined, waitingSinceMs: lackingSinceMs };
    const { store, clock, logs } = this.#parts;
    const make = (database: ArchivedDatabase) =>
      new ChainShipper(
        {
          ...{ database, path: this.#directory.paths[database], store, clock, log: logs[database] },
          generation: state.generation,
          saveEnd: (end) => this.#saveEnd(database, end),
        },
        state.ends[database],
        { before: chains?.[database] ?? left, reference: references[database] },
      );
    return { data: make('data'), ops: make('ops') };
  }

  #saveEnd(database: ArchivedDatabase, end: ChainEnd): void {
    if (this.#state === undefined) return;
    this.#state = { ...this.#state, ends: { ...this.#state.ends, [database]: end } };
    writeArchiveState(this.#directory.dataDir, this.#state);
  }
}

/** Keeps what a log gets behind a place until it is shipped. */
function hold(log: ShippedLog, from: LogPosition, hasRest = false): void {
  log.setHasRest(hasRest);
  log.publish(from);
  log.setMode('shipping');
}

function isOfFiles(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
