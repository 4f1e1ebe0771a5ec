// The lease of an archive: the right to write to it, which one server has at a time. The holder creates the next record
// again and again. Its right ends a fixed time after the moment before it sent its last record, by its own clocks.
// Another server creates the next record after it has seen no new one for longer, by its own clock. Only one of them
// can create a record of a number, so either the holder has renewed, or it learns that it has not.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { leaseFolder } from '../format/names.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import {
  decodeLease,
  encodeLease,
  holderInWords,
  type LeaseHolder,
  type LeaseRecord,
  type LeaseState,
  leaseName,
  parseLeaseName,
} from './lease-record.js';
import type { LeaseWatch, SeenLease } from './lease-watch.js';

/** How a server holds a lease. */
export interface LeaseTerms {
  readonly durationMs: number;
  /** Whether the server refuses writes while it cannot renew. */
  readonly stopsWrites: boolean;
}

/** What a lease uses of its surroundings. */
export interface LeaseParts {
  readonly store: ArchiveStore;
  readonly clock: Clock;
  /** Makes so many random bytes, as hexadecimal digits. */
  readonly random: (bytes: number) => string;
  readonly watch: LeaseWatch;
}

/** How the lease is taken. */
export interface LeaseTaking {
  /**
   * Decides about the newest record, if there is one. `isFree` says whether its holder has surely stopped writing, as
   * far as was watched.
   */
  readonly mayTake: (record: LeaseRecord | undefined, isFree: boolean) => boolean;
  /** Without a new term the server before can take the lease back with its data directory, until `raiseTerm`. */
  readonly isNewTerm?: boolean;
  /** The nonce of the record that takes it; random if it is not given. */
  readonly nonce?: string;
  /** Called before the record is sent. */
  readonly onSend?: () => void;
}

/** The lease is held by another server, which renews it, or may still do so. */
export class LeaseHeld extends Error {
  readonly seen: SeenLease;

  constructor(seen: SeenLease) {
    const { record } = seen;
    super(`${record === undefined ? 'another server' : holderInWords(record)} writes to the archive`);
    this.seen = seen;
  }
}

/** A moment by both clocks of a machine. */
export interface BothClocks {
  /** By the clock that never decreases, which stands still while the machine sleeps. */
  readonly monotonicMs: number;
  /** By the clock that runs on while the machine sleeps, but may be set. */
  readonly wallMs: number;
}

/** A record that is being created: it is known to exist, or not to exist, only when the store has answered. */
interface Attempt {
  readonly record: LeaseRecord;
  /** The moment before it was sent first. */
  readonly sent: BothClocks;
}

/** Records stay for so long after a newer one, so that a request that was under way for minutes finds them. */
const keptMs = 10 * 60 * 1000;
/** How often the newest number is noted, to remove the older ones later, and how many are removed at a time. */
const markRestMs = 60 * 1000;
const removedAtOnce = 100;
/** Another server may create a record at the same time as this one, but not many. */
const mostAttempts = 10;

/** The lease, held by this server until another one takes it. Only one call runs at a time. */
export class Lease {
  readonly #parts: LeaseParts;
  readonly #terms: LeaseTerms;
  #holder: LeaseHolder;
  /** The newest record of this server, and since when it gives the right to write. */
  #record: LeaseRecord;
  #sent: BothClocks;
  #attempt: Attempt | undefined;
  #lostTo: LeaseRecord | undefined;
  #isLost = false;
  /** The record of the release may be in the archive, even if no answer says so. */
  #isReleased = false;
  /** The term of further records, if it is not that of the newest one. */
  #termOfNext: number | undefined;
  #marks: { readonly number: number; readonly atMs: number }[];

  private constructor(parts: LeaseParts, holder: LeaseHolder, terms: LeaseTerms, { record, sent }: Attempt) {
    this.#parts = parts;
    this.#terms = terms;
    this.#holder = holder;
    this.#record = record;
    this.#sent = sent;
    this.#marks = [{ number: record.number - 1, atMs: parts.clock.monotonicMs() }];
  }

  /** Takes the lease if that is possible now. @throws LeaseHeld, StoreFailure, ArchiveDamaged, what the calls throw */
  static async take(
    parts: LeaseParts,
    holder: LeaseHolder,
    terms: LeaseTerms,
    { mayTake, isNewTerm = true, nonce = parts.random(8), onSend }: LeaseTaking,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const { store, clock, random, watch } = parts;
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const sent = bothClocks(clock);
      const seen = await watch.look(signal);
      const { record: last } = seen;
      if (!mayTake(last, seen.mayBeTaken)) throw new LeaseHeld(seen);
      const [number, term] = [(last?.number ?? 0) + 1, (last?.term ?? 0) + (isNewTerm ? 1 : 0)];
      const lineage = last?.lineage ?? random(16);
      const record = makeRecord(holder, terms, { number, lineage, term, state: 'held', nonce });
      onSend?.();
      const written = await store.write(leaseName(number), encodeLease(record), signal);
      if (written !== 'refused') return new Lease(parts, holder, terms, { record, sent });
    }
    throw new StoreFailure(
      `the lease of the archive ${store.title} cannot be taken: others are faster`,
      true,
    );
  }

  /** How often the archive was taken, with this time. */
  get term(): number {
    return this.#record.term;
  }

  /** See `LeaseRecord`. */
  get lineage(): string {
    return this.#record.lineage;
  }

  /** Whether another server has taken the lease. It does not come back. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The record of the server that has taken it, if it is known. */
  get lostTo(): LeaseRecord | undefined {
    return this.#lostTo;
  }

  /** The moment before the newest record of this server was sent. */
  get sent(): BothClocks {
    return this.#sent;
  }

  /** The right to write ends when one of the clocks shows this. */
  get validUntil(): BothClocks {
    const { durationMs } = this.#terms;
    return {
      monotonicMs: this.#sent.monotonicMs + durationMs,
      wallMs: this.#sent.wallMs + durationMs,
    };
  }

  /** Whether this server may write to the archive now. */
  get isValid(): boolean {
    if (this.#isLost || this.#isReleased) return false;
    const { monotonicMs, wallMs } = this.validUntil;
    const now = bothClocks(this.#parts.clock);
    return now.monotonicMs < monotonicMs && now.wallMs < wallMs;
  }

  /** Sets what further records say of the server. */
  setAddress(address: Pick<LeaseHolder, 'url' | 'opsUrl'>): void {
    this.#holder = { ...this.#holder, ...address };
  }

  /** Renews the right to write, if no other server has taken it. @throws StoreFailure, ArchiveDamaged */
  async renew(signal?: AbortSignal): Promise<void> {
    await this.#advance('held', signal);
    // What was created may be an earlier attempt, which gives less time or none.
    if (!this.#isLost && !this.isValid) await this.#advance('held', signal);
  }

  /** Begins a new term: data directories that know an earlier one are refused from then on. @throws StoreFailure */
  async raiseTerm(signal?: AbortSignal): Promise<void> {
    const wanted = this.#record.term + 1;
    this.#termOfNext = wanted;
    // An earlier attempt with the term before may have been under way.
    for (let tries = 1; tries <= 2 && !this.#isLost && this.#record.term < wanted; tries += 1)
      await this.#advance('held', signal);
  }

  /** Gives the lease back: another server can take it at once, and this one must not renew it. @throws StoreFailure */
  async release(signal?: AbortSignal): Promise<void> {
    this.#isReleased = true;
    for (let attempt = 1; attempt <= 2 && !this.#isLost; attempt += 1) {
      await this.#advance('released', signal);
      if (this.#record.state === 'released') return;
    }
  }

  /** Removes records that are older than any request. Call it now and then. @throws StoreFailure */
  async removeOld(signal?: AbortSignal): Promise<void> {
    const { store, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const last = this.#marks.at(-1);
    if (last === undefined || nowMs - last.atMs >= markRestMs)
      this.#marks.push({ number: this.#record.number - 1, atMs: nowMs });
    const [oldest] = this.#marks;
    if (oldest === undefined || nowMs - oldest.atMs < keptMs + this.#terms.durationMs) return;
    const names = await store.list(leaseFolder, { limit: removedAtOnce }, signal);
    const old = names.filter((name) => (parseLeaseName(name) ?? Number.POSITIVE_INFINITY) <= oldest.number);
    for (const name of old) await store.remove(name, signal);
    if (old.length < removedAtOnce) this.#marks.shift();
  }

  /** Creates the next record, or that of an earlier attempt whose answer is not known. */
  async #advance(state: LeaseState, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isLost) return;
    const { store, clock } = this.#parts;
    const fresh = { sent: bothClocks(clock), record: this.#next(state) };
    const attempt = this.#attempt ?? fresh;
    const { number } = attempt.record;
    // A record of this number may have been created and removed again, or the disk of the archive is another one now.
    if (await this.#isBehind(number, signal)) return;
    this.#attempt = attempt;
    const written = await store.write(leaseName(number), encodeLease(attempt.record), signal);
    if (written !== 'refused') this.#take(attempt);
    else await this.#takeOther(attempt, signal);
  }

  /** Whether there is a record with a higher number. */
  async #isBehind(number: number, signal: AbortSignal | undefined): Promise<boolean> {
    const { record } = await this.#parts.watch.look(signal);
    if (record === undefined || record.number <= number) return false;
    this.#lose(record);
    return true;
  }

  async #takeOther(attempt: Attempt, signal: AbortSignal | undefined): Promise<void> {
    const name = leaseName(attempt.record.number);
    const found = await this.#parts.store.read(name, signal);
    const record = found && decodeLease(name, found);
    if (record?.nonce === attempt.record.nonce) this.#take(attempt);
    else this.#lose(record);
  }

  #take({ record, sent }: Attempt): void {
    this.#record = record;
    this.#sent = sent;
    this.#attempt = undefined;
  }

  #lose(record: LeaseRecord | undefined): void {
    this.#isLost = true;
    this.#lostTo = record;
  }

  #next(state: LeaseState): LeaseRecord {
    const { number, lineage } = this.#record;
    const term = this.#termOfNext ?? this.#record.term;
    return makeRecord(this.#holder, this.#terms, {
      ...{ number: number + 1, lineage, term, state, nonce: this.#parts.random(8) },
    });
  }
}

function makeRecord(
  holder: LeaseHolder,
  { durationMs, stopsWrites }: LeaseTerms,
  own: Pick<LeaseRecord, 'number' | 'lineage' | 'term' | 'state' | 'nonce'>,
): LeaseRecord {
  return { ...own, ...holder, durationMs, stopsWrites };
}

function bothClocks(clock: Clock): BothClocks {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
}
