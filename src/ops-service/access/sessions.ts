// Sessions: from a login until the logout, at most twelve hours. Only hashes of their ids are stored.
import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Migration, Store } from '../store/store.js';
import type { KnownUsers, User, Users } from './users.js';

/** The table of the sessions. */
export const sessionMigrations: readonly Migration[] = [
  {
    name: 'sessions-1',
    sql: `CREATE TABLE sessions (
      hash TEXT PRIMARY KEY,
      user TEXT NOT NULL,
      proof TEXT NOT NULL,
      ends_ms INTEGER NOT NULL
    ) WITHOUT ROWID`,
  },
];

/** The lifetime of a session. */
export const sessionSeconds = 12 * 3600;
const maxSessions = 10_000;

interface Session {
  readonly hash: string;
  readonly user: string;
  /** Derived from the id and the user's secret and role: when one of these changes, the session ends. */
  readonly proof: string;
  readonly endsMs: number;
}

/** The session of a request. */
export interface OpenSession {
  /** Identifies the session; a request cannot use it in place of the id. */
  readonly hash: string;
  readonly user: User;
}

/** What the sessions need from outside. */
export interface SessionParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly users: Users;
  /** Returns ids that cannot be guessed. */
  readonly newId: () => string;
  /** Called with the hash of every session that ends; with undefined when requests without a session end. */
  readonly onEnd: (hash: string | undefined) => void;
}

/** The open sessions; they survive restarts. */
export class Sessions {
  readonly #parts: SessionParts;
  /** The open sessions in the order in which they expire. */
  readonly #open = new Map<string, Session>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const rows = parts.store.read((database) =>
      database.statement('SELECT hash, user, proof, ends_ms FROM sessions ORDER BY ends_ms').all(),
    );
    for (const row of rows) {
      const hash = String(row['hash']);
      const session = {
        user: String(row['user']),
        proof: String(row['proof']),
        endsMs: Number(row['ends_ms']),
      };
      this.#open.set(hash, { hash, ...session });
    }
  }

  /** Opens a session for a user whose password was correct. The result is its id, which is not stored. */
  open(user: string): string {
    const id = this.#parts.newId();
    const session: Session = {
      hash: hashOf(id),
      user,
      proof: this.#proofOf(id, user),
      endsMs: this.#parts.clock.nowMs() + sessionSeconds * 1000,
    };
    this.#open.set(session.hash, session);
    this.#parts.store.record(
      (database) =>
        database
          .statement('INSERT INTO sessions VALUES (?, ?, ?, ?)')
          .run([session.hash, session.user, session.proof, session.endsMs]),
      { key: recordingKey(session.hash), change: 'new' },
    );
    const [oldest] = this.#open.keys();
    if (this.#open.size > maxSessions && oldest !== undefined) this.end(oldest);
    return id;
  }

  /** The session of an id; undefined when it has ended, or when its user was removed or has a new password or role. */
  find(id: string): OpenSession | undefined {
    const session = this.#open.get(hashOf(id));
    if (session === undefined || session.endsMs <= this.#parts.clock.nowMs()) return undefined;
    const user = this.#parts.users.find(session.user);
    if (user === undefined || session.proof !== this.#proofOf(id, session.user)) return undefined;
    return { hash: session.hash, user };
  }

  /** Ends a session; does nothing if it has ended. */
  end(hash: string): void {
    if (!this.#open.delete(hash)) return;
    this.#parts.store.record(
      (database) => database.statement('DELETE FROM sessions WHERE hash = ?').run([hash]),
      {
        key: recordingKey(hash),
        change: 'gone',
      },
    );
    this.#parts.onEnd(hash);
  }

  /**
   * Replaces the users: sessions of removed or changed ones end, and if there were no users, so do requests without a
   * session. @throws OpsError when there were users and none are left; then nothing changes
   */
  replaceUsers(users: KnownUsers): void {
    const wasOpen = this.#parts.users.isEmpty;
    const changed = this.#parts.users.replace(users);
    for (const { hash, user } of this.#open.values()) if (changed.includes(user)) this.end(hash);
    if (wasOpen && !this.#parts.users.isEmpty) this.#parts.onEnd(undefined);
  }

  /** Ends expired sessions. The server calls it every second. */
  tick(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const { hash, endsMs } of this.#open.values()) {
      if (endsMs <= nowMs) this.end(hash);
    }
  }

  #proofOf(id: string, user: string): string {
    return createHmac('sha256', id)
      .update(this.#parts.users.secretOf(user) ?? '')
      .digest('hex');
  }
}

function recordingKey(hash: string): string {
  return `sessions ${hash}`;
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
