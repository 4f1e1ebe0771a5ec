// Ships the changes of a data directory to an archive: begins and continues generations, and gives each work its turn.
import { statSync } from 'node:fs';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import type { ShippedLog } from '../../foundation/sqlite/shipped-log.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { decodeArchive, encodeArchive, encodeGeneration } from '../format/generation.js';
import {
  type ArchivedDatabase,
  archivedDatabases,
  archiveName,
  filesName,
  generationName,
  generationsFolder,
  makeGenerationId,
} from '../format/names.js';
import { sha256Of } from '../format/sealed-object.js';
import { encodeFiles } from '../format/small-files.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import {
  type ArchiveState,
  type ChainEnd,
  readArchiveState,
  removeArchiveState,
  writeArchiveState,
} from './archive-state.js';
import type { ArchiveStatus, DatabaseStatus } from './archive-status.js';
import { ChainBroken } from './chain-broken.js';
import { ChainShipper } from './chain-shipper.js';
import { noPosition } from './database-shipper.js';
import { findContinuation } from './find-chain-end.js';
import { removeOld } from './retention.js';

/** What is shipped. Plain data, which crosses threads. */
export interface ShippedDirectory {
  readonly dataDir: string;
  /** The paths of the databases. */
  readonly paths: Readonly<Record<ArchivedDatabase, string>>;
  /** The small files, by their names in the data directory. */
  readonly files: readonly { readonly name: string; readonly path: string }[];
  /** Such as `colonnade 0.1.0`. */
  readonly madeBy: string;
  readonly engine: string;
  /** Moments of so many days can be restored. */
  readonly keptDays: number;
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
  /** Whether this server may write to the archive now. */
  readonly mayWrite?: () => boolean;
}

const dayMs = 24 * 60 * 60 * 1000;
/** How often the small files are compared, and how often old objects are looked for. */
const filesRestMs = 2_000;
const retentionRestMs = 60 * 60 * 1000;

/** Ships one data directory. Only one call runs at a time, except `status`. */
export class ArchiveShipper {
  readonly #directory: ShippedDirectory;
  readonly #parts: ShippingParts;
  #state: ArchiveState | undefined;
  #chains: Readonly<Record<ArchivedDatabase, ChainShipper>> | undefined;
  /** Whether the archive was compared with the state of an earlier process. */
  #isCompared = false;
  #reason = 'the archive or the data directory is new';
  #problem: string | undefined;
  #problemSinceMs = 0;
  #files: { readonly marks: string; readonly sha256: string } | undefined;
  #filesAtMs = Number.NEGATIVE_INFINITY;
  #retentionAtMs = Number.NEGATIVE_INFINITY;
  #removing: AsyncGenerator<void, void, undefined> | undefined;

  constructor(directory: ShippedDirectory, parts: ShippingParts) {
    this.#directory = directory;
    this.#parts = parts;
  }

  /**
   * Finds out whether the chains of an earlier process continue. Call it before the databases are opened: from then on
   * their checkpoints wait for the shipping.
   */
  begin(): void {
    const state = readArchiveState(this.#directory.dataDir);
    if (state === undefined) return;
    const rests: Partial<Record<ArchivedDatabase, boolean>> = {};
    for (const database of archivedDatabases) {
      const found = findContinuation(this.#directory.paths[database], state.ends[database]);
      if (found.kind === 'gap') {
        this.#reason = `${database}.db: ${found.reason}`;
        removeArchiveState(this.#directory.dataDir);
        return;
      }
      rests[database] = found.kind === 'rest';
    }
    for (const database of archivedDatabases) {
      const log = this.#parts.logs[database];
      log.setHasRest(rests[database] === true);
      log.publish(state.ends[database].position);
      log.setMode('shipping');
    }
    this.#state = state;
    this.#chains = this.#makeChains(state);
  }

  /** Does a part of the work. Returns whether more can be done at once. */
  async turn(signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#parts.mayWrite?.() === false)
        throw new StoreFailure('another server may write to the archive', true);
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
      const isOutside =
        isOfChain || error instanceof StoreFailure || (error instanceof Error && 'syscall' in error);
      if (!isOutside) throw error;
      this.#note(error.message);
      return false;
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
      problem: this.#problem,
      databases: { data: statusOf('data'), ops: statusOf('ops') },
    };
  }

  /** Without a chain everything since the beginning of the problem is missing. */
  get #withoutChain(): DatabaseStatus {
    const sinceMs = this.#problem === undefined ? this.#parts.clock.nowMs() : this.#problemSinceMs;
    return {
      behindMs: Math.max(0, this.#parts.clock.nowMs() - sinceMs),
      waitingBytes: 0,
      shippedThroughMs: undefined,
      sequence: 0,
      copyAtMs: undefined,
    };
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
    removeArchiveState(this.#directory.dataDir);
  }

  async #work(signal: AbortSignal): Promise<boolean> {
    const chains = await this.#begunChains(signal);
    let isBusy = false;
    for (const database of archivedDatabases) if (await chains[database].shipPieces(signal)) isBusy = true;
    await this.#shipFiles(signal);
    for (const database of archivedDatabases) if (await chains[database].copySome(signal)) isBusy = true;
    if (await this.#removeSome(chains, signal)) isBusy = true;
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

  /** @throws ChainBroken if the archive is not the one of the state */
  async #compare(
    state: ArchiveState,
    chains: Readonly<Record<ArchivedDatabase, ChainShipper>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { store } = this.#parts;
    const archive = await store.read(archiveName, signal);
    if (archive === undefined || decodeArchive(archiveName, archive.bytes).archive !== state.archive)
      throw new ChainBroken('the archive is another one than before');
    const generation = await store.read(generationName(state.generation), signal);
    if (generation === undefined || sha256Of(generation.bytes) !== state.generationSha256)
      throw new ChainBroken('the archive does not have the generation');
    for (const database of archivedDatabases) await chains[database].continue(signal);
  }

  async #beginGeneration(signal: AbortSignal): Promise<Readonly<Record<ArchivedDatabase, ChainShipper>>> {
    const { store, clock, logs, onGeneration } = this.#parts;
    const { madeBy, engine } = this.#directory;
    const archive = await this.#archiveId(signal);
    const last = (await store.folders(generationsFolder, signal)).at(-1)?.slice(generationsFolder.length, -1);
    const generation = this.#newId(last);
    const described = {
      generation,
      archive,
      madeBy,
      madeMs: clock.nowMs(),
      engine,
      reason: this.#reason,
      epoch: 0,
    };
    const { bytes, sha256 } = encodeGeneration(described);
    if ((await store.write(generationName(generation), bytes, 'ifAbsent', signal)) === 'refused')
      throw new StoreFailure(`the archive ${store.title} has the generation ${generation} already`, true);
    const end: ChainEnd = {
      ...{ sequence: 0, sha256, toMs: clock.nowMs(), position: noPosition, isWhole: true, pageBytes: 0 },
      ...{ databasePages: 0, completeMs: 0, roundPiece: 1, roundPrevious: sha256 },
    };
    const state = { archive, generation, generationSha256: sha256, ends: { data: end, ops: end } };
    writeArchiveState(this.#directory.dataDir, state);
    this.#state = state;
    this.#isCompared = true;
    this.#files = undefined;
    this.#chains = this.#makeChains(state);
    for (const database of archivedDatabases) {
      logs[database].setHasRest(false);
      logs[database].publish(noPosition);
      logs[database].setMode('shipping');
    }
    onGeneration(generation, this.#reason);
    return this.#chains;
  }

  async #archiveId(signal: AbortSignal): Promise<string> {
    const { store, clock, random } = this.#parts;
    const made = encodeArchive({ archive: random(16), madeMs: clock.nowMs() });
    const found = await store.read(archiveName, signal);
    if (found === undefined) await store.write(archiveName, made, 'ifAbsent', signal);
    const bytes = found?.bytes ?? (await store.read(archiveName, signal))?.bytes;
    if (bytes === undefined) throw new StoreFailure(`the archive ${store.title} lacks ${archiveName}`, true);
    return decodeArchive(archiveName, bytes).archive;
  }

  /** Later than the last generation, also if the clock is behind. */
  #newId(last: string | undefined): string {
    const { clock, random } = this.#parts;
    const id = makeGenerationId(clock.nowMs(), random(4));
    if (last === undefined || secondOf(id) > secondOf(last)) return id;
    const [, year, month, day, hour, minute, second] = /^(....)(..)(..)T(..)(..)(..)Z/.exec(last) ?? [];
    const lastMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return makeGenerationId(lastMs + 1_000, random(4));
  }

  #makeChains(state: ArchiveState): Readonly<Record<ArchivedDatabase, ChainShipper>> {
    const before = this.#chains;
    const { store, clock, logs } = this.#parts;
    const make = (database: ArchivedDatabase) =>
      new ChainShipper(
        {
          ...{ database, path: this.#directory.paths[database], store, clock, log: logs[database] },
          generation: state.generation,
          saveEnd: (end) => this.#saveEnd(database, end),
        },
        state.ends[database],
        before?.[database].file,
      );
    return { data: make('data'), ops: make('ops') };
  }

  #saveEnd(database: ArchivedDatabase, end: ChainEnd): void {
    if (this.#state === undefined) return;
    this.#state = { ...this.#state, ends: { ...this.#state.ends, [database]: end } };
    writeArchiveState(this.#directory.dataDir, this.#state);
  }

  /** Ships the small files if one has changed. */
  async #shipFiles(signal: AbortSignal): Promise<void> {
    const { clock, store } = this.#parts;
    const generation = this.#state?.generation;
    if (generation === undefined || clock.monotonicMs() - this.#filesAtMs < filesRestMs) return;
    this.#filesAtMs = clock.monotonicMs();
    const present = this.#directory.files.flatMap(({ name, path }) => {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      return found === undefined
        ? []
        : [{ name, path, mark: `${name} ${found.mtimeNs} ${found.size} ${found.ino}` }];
    });
    const marks = present.map(({ mark }) => mark).join('\n');
    if (marks === this.#files?.marks) return;
    const bytes = encodeFiles(present.map(({ name, path }) => ({ name, content: readRegularFile(path) })));
    const sha256 = sha256Of(bytes);
    if (sha256 !== this.#files?.sha256) {
      const written = await store.write(filesName(generation, clock.nowMs()), bytes, 'ifAbsent', signal);
      if (written === 'refused') return; // the next turn has another time
    }
    this.#files = { marks, sha256 };
  }

  /** Removes one object that is too old. Returns whether more may be too old. */
  async #removeSome(
    chains: Readonly<Record<ArchivedDatabase, ChainShipper>>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, store } = this.#parts;
    const generation = this.#state?.generation;
    if (generation === undefined) return false;
    if (this.#removing === undefined) {
      if (clock.monotonicMs() - this.#retentionAtMs < retentionRestMs) return false;
      this.#retentionAtMs = clock.monotonicMs();
      const fromMs = clock.nowMs() - this.#directory.keptDays * dayMs;
      const unfinished = new Set(
        archivedDatabases.flatMap((database) => chains[database].unfinishedCopy ?? []),
      );
      this.#removing = removeOld(store, { fromMs, generation, unfinished }, signal);
    }
    try {
      if ((await this.#removing.next()).done !== true) return true;
    } catch (error) {
      this.#removing = undefined;
      // Damage of an old generation is not a gap of this one.
      throw error instanceof ArchiveDamaged
        ? new StoreFailure(error.message, false, { cause: error })
        : error;
    }
    this.#removing = undefined;
    return false;
  }
}

/** The second of the beginning of a generation, from its id. */
function secondOf(generation: string): string {
  return generation.replace(/-.*$/, '');
}
