// Sessions of users of a cluster: opened when first needed, shared by the requests of a user, closed when not needed.
import { NotBegun, WorkQueue } from '../limits/work-queue.js';
import type { Clock } from '../telemetry/clock.js';
import { CassandraFailure } from './session.js';

/** Who logs in. */
export interface ClusterUser {
  /** A hash of the others: equal for the same user with the same password. */
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

/** What sessions are opened with. */
export interface UserSessionOptions<Session> {
  /** Logs a user in; calls `onLost` when the session has become useless. @throws CassandraFailure */
  readonly open: (user: ClusterUser, onLost: () => void) => Promise<Session>;
  readonly close: (session: Session) => Promise<void>;
  readonly clock: Clock;
}

/** A session that stays open until it is released. */
export interface LeasedSession<Session> {
  readonly session: Session;
  release(): void;
}

/** Sessions that are open or being opened; a further user replaces the one whose last request is longest ago. */
export const mostSessions = 64;
/** Without requests for so long a session is closed. */
export const idleMs = 5 * 60_000;
/** Behind that a user logs in again: nodes check passwords only then. */
export const longestMs = 15 * 60_000;
/** For so long a refused login is the answer to the next requests of that user. */
export const refusedMs = 5_000;
/** How long a login is refused for which no node could be asked. */
export const unreachedMs = 1_000;
const mostFailures = 1_000;
/** For so long after a login the next one of that user waits among known users. */
const knownMs = 60 * 60_000;
const mostKnown = 1_000;
/**
 * Nodes hash passwords, which takes them 100 ms: other logins wait. Users who have logged in lately have places of
 * their own, which strangers without a password cannot take.
 */
const attempts = {
  known: { places: 2, mostWaiting: 32, longestWaitMs: 8_000 },
  others: { places: 2, mostWaiting: 96, longestWaitMs: 8_000 },
};
const sweepMs = 30_000;

interface Entry<Session> {
  readonly session: Session;
  readonly openedMs: number;
  usedMs: number;
  leases: number;
  /** No further request gets it; it is closed behind the last one. */
  isRetired: boolean;
}

interface Failure {
  readonly failure: CassandraFailure;
  readonly untilMs: number;
}

/** The sessions, bounded in number and age. */
export class UserSessions<Session> {
  readonly #options: UserSessionOptions<Session>;
  /** By key, the one that was used last at the end. */
  readonly #entries = new Map<string, Entry<Session>>();
  readonly #opening = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, Failure>();
  readonly #attempts = { known: new WorkQueue(attempts.known), others: new WorkQueue(attempts.others) };
  /** The keys of users who logged in, with the time of the last login, in its order. */
  readonly #known = new Map<string, number>();
  readonly #closing = new Set<Promise<void>>();
  /** Places that are taken by sessions, also by retired ones with requests. */
  #taken = 0;
  #sweep: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: UserSessionOptions<Session>) {
    this.#options = options;
  }

  /** Whether the user has a session, so that `take` does not log in. */
  has({ key }: ClusterUser): boolean {
    return this.#presentEntry(key) !== undefined;
  }

  /**
   * The session of a user. Logs in at most once for all requests that wait for it.
   * @throws CassandraFailure: `badCredentials` and others of the login, `overloaded` where there are too many
   */
  async take(user: ClusterUser): Promise<LeasedSession<Session>> {
    // A session that others opened may be closed again before its turn comes here.
    for (;;) {
      const entry = this.#presentEntry(user.key);
      if (entry !== undefined) return this.#lease(user.key, entry);
      await this.#open(user);
    }
  }

  /** Closes all sessions; those with requests are closed, too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#attempts.known.close();
    this.#attempts.others.close();
    clearTimeout(this.#sweep);
    await Promise.allSettled(this.#opening.values());
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      this.#end(entry);
    }
    await Promise.all(this.#closing);
  }

  #presentEntry(key: string): Entry<Session> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - entry.openedMs < longestMs && nowMs - entry.usedMs < idleMs) return entry;
    this.#retire(key, entry);
    return undefined;
  }

  #lease(key: string, entry: Entry<Session>): LeasedSession<Session> {
    const { clock } = this.#options;
    entry.leases += 1;
    entry.usedMs = clock.monotonicMs();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return {
      session: entry.session,
      release: () => {
        entry.leases -= 1;
        entry.usedMs = clock.monotonicMs();
        if (entry.isRetired && entry.leases === 0) this.#end(entry);
      },
    };
  }

  #retire(key: string, entry: Entry<Session>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    if (entry.isRetired) return;
    entry.isRetired = true;
    if (entry.leases === 0) this.#end(entry);
  }

  #end({ session }: Entry<Session>): void {
    this.#taken -= 1;
    const closing = this.#options.close(session).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #open(user: ClusterUser): Promise<void> {
    const { key } = user;
    const known = this.#failures.get(key);
    if (known !== undefined && this.#options.clock.monotonicMs() < known.untilMs)
      return Promise.reject(known.failure);
    const present = this.#opening.get(key);
    if (present !== undefined) return present;
    const opening = (this.#isKnown(key) ? this.#attempts.known : this.#attempts.others)
      .run(1, () => this.#logIn(user))
      .catch((error: unknown) => {
        throw error instanceof NotBegun
          ? new CassandraFailure('overloaded', `logins wait: ${error.message}`)
          : error;
      })
      .finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #logIn(user: ClusterUser): Promise<void> {
    this.#findPlace(); // a login without one would have no effect
    try {
      let isLost = false;
      let entry: Entry<Session> | undefined;
      const session = await this.#options.open(user, () => {
        isLost = true;
        if (entry !== undefined) this.#retire(user.key, entry);
      });
      try {
        if (isLost || this.#isClosed) throw new CassandraFailure('unreachable', 'the session ended at once');
        // Not before the login: one with a wrong password must not end the session of another user.
        this.#findPlace()?.();
      } catch (error) {
        await this.#options.close(session);
        throw error;
      }
      entry = this.#keep(user.key, session);
    } catch (error) {
      if (error instanceof CassandraFailure) this.#remember(user.key, error);
      throw error;
    }
  }

  #keep(key: string, session: Session): Entry<Session> {
    const nowMs = this.#options.clock.monotonicMs();
    const entry = { session, openedMs: nowMs, usedMs: nowMs, leases: 0, isRetired: false };
    this.#taken += 1;
    this.#entries.set(key, entry);
    this.#failures.delete(key);
    this.#known.delete(key);
    this.#known.set(key, nowMs);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    this.#sweepLater();
    return entry;
  }

  #isKnown(key: string): boolean {
    const loggedInMs = this.#known.get(key);
    return loggedInMs !== undefined && this.#options.clock.monotonicMs() - loggedInMs < knownMs;
  }

  /**
   * The function that frees a place; undefined if one is free.
   * @throws CassandraFailure `overloaded` where every session has requests
   */
  #findPlace(): (() => void) | undefined {
    if (this.#taken < mostSessions) return undefined;
    for (const [key, entry] of this.#entries) if (entry.leases === 0) return () => this.#retire(key, entry);
    throw new CassandraFailure('overloaded', `${mostSessions} users of the cluster have requests under way`);
  }

  #remember(key: string, failure: CassandraFailure): void {
    const isRefused = failure.kind === 'badCredentials' || failure.kind === 'notPermitted';
    if (isRefused) this.#known.delete(key);
    const untilMs = this.#options.clock.monotonicMs() + (isRefused ? refusedMs : unreachedMs);
    this.#failures.delete(key);
    this.#failures.set(key, { failure, untilMs });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > mostFailures && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** Closes what is not needed, from time to time for as long as there are sessions. */
  #sweepLater(): void {
    this.#sweep ??= setTimeout(() => {
      this.#sweep = undefined;
      for (const key of [...this.#entries.keys()]) this.#presentEntry(key);
      if (this.#entries.size > 0) this.#sweepLater();
    }, sweepMs).unref();
  }
}
