// The users of a cluster: a session for each, and in it the engine with the user's rights.
import type { CqlSession } from '../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../foundation/cassandra/session.js';
import { UserSessions } from '../../../foundation/cassandra/user-sessions.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { CheckedEngine } from '../checked-engine.js';
import type { StorageUser, StorageUsers } from '../storage-users.js';
import { loginFailure } from './engine-failure.js';

/** What users get engines by. */
export interface ClusterUsersOptions {
  /** A session whose first attempt to connect is under way. */
  readonly openSession: (user: StorageUser) => Promise<CqlSession>;
  /** The engine in a session; it need not be closed. */
  readonly makeEngine: (session: CqlSession) => CheckedEngine;
  /** Whether every name is good where nodes ask for no password: they then know no users. */
  readonly acceptsUnchecked: boolean;
  readonly clock: Clock;
}

interface UserEngine {
  readonly session: CqlSession;
  readonly engine: CheckedEngine;
}

/** The users; nobody is logged in yet. */
export function openClusterUsers(options: ClusterUsersOptions): StorageUsers {
  const sessions = new UserSessions<UserEngine>({
    open: (user, onLost) => logIn(user, onLost, options),
    close: ({ session }) => session.close(),
    clock: options.clock,
  });
  return {
    isKnown: (user) => sessions.has(user),
    run: async (user, work) => {
      const { session, release } = await sessions.take(user).catch((error: unknown) => {
        throw loginFailure(error);
      });
      try {
        return await work(session.engine);
      } finally {
        release();
      }
    },
    close: () => sessions.close(),
  };
}

async function logIn(
  user: StorageUser,
  onLost: () => void,
  { openSession, makeEngine, acceptsUnchecked }: ClusterUsersOptions,
): Promise<UserEngine> {
  const session = await openSession(user);
  try {
    await session.connected();
    if (!session.isUserChecked && !acceptsUnchecked)
      throw new CassandraFailure(
        'badCredentials',
        'the cluster asks for no password, so that names prove nothing',
      );
  } catch (error) {
    await session.close();
    throw error;
  }
  session.onProblem((problem) => {
    if (problem !== undefined) onLost();
  });
  return { session, engine: makeEngine(session) };
}
