// Keeps the lease of an archive while a server works, and lets the server write only as long as it has it.
import { limitedSignal } from '../../foundation/limited-signal.js';
import { FileNotWritten } from '../../foundation/secrets/replace-file.js';
import type { WritePermit } from '../../foundation/sqlite/write-permit.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { StoreFailure } from '../stores/archive-store.js';
import { type KnownLease, readKnownLease, writeKnownLease } from './known-lease.js';
import { type BothClocks, Lease, LeaseHeld, type LeaseParts, type LeaseTerms } from './lease.js';
import { holderInWords, type LeaseHolder, type LeaseRecord } from './lease-record.js';

/** What the keeper uses. */
export interface KeeperParts extends LeaseParts {
  readonly dataDir: string;
  readonly holder: Omit<LeaseHolder, 'server'>;
  readonly terms: LeaseTerms;
  readonly permit: WritePermit;
  /** Resolves after so many ms. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Called when the start waits for the end of a lease, with a sentence. */
  readonly onWait: (reason: string) => void;
}

/** Why a server does not write to the archive, or refuses writes. Plain data, which crosses threads. */
export interface LeaseStatus {
  /** The term of the lease of this server; 0 while it has none. */
  readonly term: number;
  /** A sentence; undefined while it has the lease. */
  readonly problem: string | undefined;
  /** Whether writes are refused. */
  readonly refusesWrites: boolean;
}

/** The data directory lacks what another server wrote since. */
class DirectoryIsBehind extends Error {}

/** A start gives up after so long if the archive does not answer. */
const startLimitMs = 5_000;
const lookRestMs = 500;
const restAfterFailureMs = 250;
/** The looks that may fail while a start waits for the end of the lease of another server. */
const mostFailures = 60;
/** A renewal is given up after so long, and tried again. */
const mostRenewalMs = 20_000;
/** A lone server may write for so long after each attempt to renew. */
const leastAloneMs = 3_000;

/** Keeps the lease. Only one call runs at a time, except `status` and `isValid`. */
export class LeaseKeeper {
  readonly #parts: KeeperParts;
  #known: KnownLease;
  /** That of the record which takes the lease. */
  readonly #nonce: string;
  #lease: Lease | undefined;
  #problem: string | undefined;
  /** Set when another server has the lease for the rest of this process. */
  #isOver = false;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #failedMs = Number.NEGATIVE_INFINITY;
  #address: Pick<LeaseHolder, 'url' | 'opsUrl'> | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#nonce = parts.random(8);
    this.#known = readKnownLease(parts.dataDir) ?? { server: parts.random(16), held: undefined, asked: [] };
  }

  /** Whether this server may write to the archive now. */
  get isValid(): boolean {
    return this.#lease?.isValid === true;
  }

  /** The state, for people. */
  get status(): LeaseStatus {
    const { permit } = this.#parts;
    return {
      term: this.#lease?.term ?? 0,
      problem: this.#problem,
      refusesWrites: permit.refusal !== undefined,
    };
  }

  /** Sets the addresses that other servers show. */
  setAddress(address: Pick<LeaseHolder, 'url' | 'opsUrl'>): void {
    this.#address = address;
    this.#lease?.setAddress(address);
    this.#renewedMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Takes the lease at the start, and waits as long as a server that renews it no more may still write. If the archive
   * does not answer, `tick` tries again. @throws Error if another server renews it, or has had it since this one
   */
  async begin(): Promise<void> {
    let first: number | undefined;
    for (let failures = 0; ; ) {
      try {
        await this.#take(AbortSignal.timeout(startLimitMs));
        return;
      } catch (error) {
        if (error instanceof DirectoryIsBehind) throw error;
        if (!(error instanceof LeaseHeld)) {
          if (first === undefined || !isOutside(error)) {
            this.#noteFailure(error);
            return;
          }
          // Another server had the lease a moment before: this one must not write because a look failed.
          failures += 1;
          if (failures > mostFailures) throw error;
          await this.#parts.sleep(lookRestMs);
          continue;
        }
        const { record } = error.seen;
        if (first !== undefined && record?.number !== first) throw this.#refusedStart(error);
        if (first === undefined) this.#parts.onWait(`${error.message}, or has ended without a notice`);
        first = record?.number;
        await this.#parts.sleep(Math.min(lookRestMs, this.#parts.terms.durationMs / 10));
      }
    }
  }

  /** Takes or renews the lease if it is time. Call it several times a second. */
  async tick(ending: AbortSignal): Promise<void> {
    const { clock, terms } = this.#parts;
    const isDue = clock.monotonicMs() - this.#renewedMs >= terms.durationMs / 3;
    if (this.#isOver && !isDue) return;
    const isValid = this.#lease?.isValid === true;
    if (isValid && !isDue) return;
    if (clock.monotonicMs() - this.#failedMs < restAfterFailureMs) return;
    const limitMs = Math.min(mostRenewalMs, Math.max(1_000, Math.ceil(terms.durationMs / 3)));
    const signal = limitedSignal(limitMs, ending);
    try {
      if (this.#isOver) await this.#nameHolder(signal);
      else if (this.#lease === undefined) await this.#take(signal);
      else await this.#renew(this.#lease, signal);
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  /** Gives the lease back at the end. `isShipped`: everything is in the archive, so another server need not wait. */
  async end(isShipped: boolean, signal: AbortSignal): Promise<void> {
    if (this.#lease === undefined || !isShipped || !this.#lease.isValid) return;
    this.#parts.permit.refuse('the server is shutting down');
    await this.#lease.release(signal).catch((error) => {
      // Another server then waits, as after a kill.
      if (!(error instanceof StoreFailure)) throw error;
    });
  }

  async #take(signal: AbortSignal): Promise<void> {
    const { holder, terms, store } = this.#parts;
    const { server, asked } = this.#known;
    const own = { ...holder, ...this.#address, server };
    const taking = {
      mayTake: (record: LeaseRecord | undefined, isFree: boolean) => this.#mayTake(record, isFree),
      nonce: this.#nonce,
      // After a power failure the next start knows the record again.
      onSend: () => {
        if (!this.#known.asked.includes(this.#nonce))
          this.#note({ ...this.#known, asked: [...asked, this.#nonce] });
      },
    };
    const lease = await Lease.take(this.#parts, own, terms, taking, signal);
    const { term, lineage } = lease;
    this.#note({ server, held: { archive: store.title, lineage, term }, asked: [] });
    this.#lease = lease;
    this.#noteHeld(lease);
  }

  /** @throws StoreFailure: the next attempt takes the lease again */
  #note(known: KnownLease): void {
    try {
      writeKnownLease(this.#parts.dataDir, known);
    } catch (error) {
      if (error instanceof FileNotWritten) throw new StoreFailure(error.message, true, { cause: error });
      throw error;
    }
    this.#known = known;
  }

  /**
   * A process of this directory that gave the same place has ended, because this process has the lock. A copy of the
   * directory has the same id, and another place. @throws DirectoryIsBehind, StoreFailure
   */
  #mayTake(record: LeaseRecord | undefined, isFree: boolean): boolean {
    const { store, dataDir, holder } = this.#parts;
    const { server, held, asked } = this.#known;
    if (record === undefined) {
      if (held?.archive !== store.title) return true;
      throw new StoreFailure(
        `${store.title} had a lease, and has none now: is its disk mounted? To begin another archive there, stop the ` +
          `server and remove archive-lease.json and archive-state.json from ${dataDir}`,
        true,
      );
    }
    const isOwn = record.server === server && record.place !== '' && record.place === holder.place;
    const isAsked = record.server === server && asked.includes(record.nonce);
    if (!isOwn && !isAsked && held?.lineage === record.lineage && record.term > held.term)
      throw new DirectoryIsBehind(
        `${holderInWords(record)} has written to the archive ${store.title} since this data directory did, so the ` +
          'directory lacks its changes: start with a new data directory, which colonnade restore or serve --follow makes',
      );
    return isFree || isOwn;
  }

  async #renew(lease: Lease, signal: AbortSignal): Promise<void> {
    await lease.renew(signal);
    if (lease.isLost) {
      this.#giveUp(takenBy(lease.lostTo));
      return;
    }
    this.#noteHeld(lease);
    await lease.removeOld(signal);
  }

  #noteHeld(lease: Lease): void {
    this.#renewedMs = this.#parts.clock.monotonicMs();
    this.#problem = undefined;
    const { terms, permit } = this.#parts;
    // A lone server continues when the next renewal fails, which takes a second.
    if (terms.stopsWrites) permit.allowUntil(lease.validUntil);
    else this.#allowAlone(lease.sent);
  }

  #allowAlone({ monotonicMs, wallMs }: BothClocks): void {
    const forMs = Math.max(this.#parts.terms.durationMs, leastAloneMs);
    this.#parts.permit.allowUntil({ monotonicMs: monotonicMs + forMs, wallMs: wallMs + forMs });
  }

  /** The first record of a new holder is older than its ports. */
  async #nameHolder(signal: AbortSignal): Promise<void> {
    if (this.#lease === undefined) return;
    this.#renewedMs = this.#parts.clock.monotonicMs();
    const { record } = await this.#parts.watch.look(signal);
    const reason = takenBy(record);
    if (reason !== this.#problem) this.#giveUp(reason);
  }

  #giveUp(reason: string): void {
    this.#isOver = true;
    this.#problem = reason;
    this.#parts.permit.refuse(reason);
  }

  #noteFailure(error: unknown): void {
    const { permit, terms, clock } = this.#parts;
    if (error instanceof DirectoryIsBehind) {
      this.#giveUp(error.message);
      return;
    }
    if (!isOutside(error)) throw error;
    if (this.#isOver) return;
    this.#problem = error.message;
    this.#failedMs = clock.monotonicMs();
    if (this.#lease?.isValid === true && terms.stopsWrites) return;
    if (error instanceof LeaseHeld) {
      permit.refuse(`this server does not have the lease of its archive: ${error.message}`);
      return;
    }
    if (terms.stopsWrites) {
      permit.refuse(
        `this server may write only while it can renew the lease of its archive: ${error.message}`,
      );
      return;
    }
    // A lone server continues while its archive cannot be reached; but not if it was stopped and nobody looked.
    this.#allowAlone({ monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() });
  }

  #refusedStart(error: LeaseHeld): Error {
    return new Error(
      `${error.message} ${this.#parts.store.title}: stop that server, or give this one another --archive`,
      { cause: error },
    );
  }
}

/** Whether an error is one of the archive, or of another server. */
function isOutside(error: unknown): error is StoreFailure | ArchiveDamaged | LeaseHeld {
  return error instanceof StoreFailure || error instanceof ArchiveDamaged || error instanceof LeaseHeld;
}

function takenBy(record: LeaseRecord | undefined): string {
  const by = record === undefined ? 'another server' : holderInWords(record);
  return `${by} has taken over the archive of this one`;
}
