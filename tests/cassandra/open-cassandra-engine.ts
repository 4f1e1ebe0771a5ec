// Opens the Cassandra engine on a real node for tests, empty.
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { openCassandraEngine } from '../../src/data-service/engine/cassandra/cassandra-engine.js';
import { sharedWriteTime } from '../../src/data-service/engine/cassandra/write-times.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { openCqlSession } from '../../src/foundation/cassandra/open-cql-session.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';

const readTimeoutMs = 60_000;

/** Opens a session with the cluster. */
export function openSession(port: number): Promise<CqlSession> {
  return openCqlSession({
    contactPoints: ['127.0.0.1'],
    port,
    localDataCenter: 'datacenter1',
    timeoutMs: 20_000,
  });
}

/**
 * Opens the engine on the cluster as it is. `through`: what stands between it and its session. `finishAfterMs`: after
 * which it finishes collections of others.
 */
export async function openOnCluster(
  port: number,
  through: (session: CqlSession) => CqlSession = (session) => session,
  dialect: Dialect = 'strict',
  finishAfterMs = 600_000,
): Promise<Engine> {
  const session = through(await openSession(port));
  const onWarning = (error: Error) => {
    throw error;
  };
  const newId = () => crypto.randomUUID();
  const memory = { readMemoryBytes: 64 * 1024 * 1024, writeTime: sharedWriteTime() };
  return openCassandraEngine({
    session,
    dialect,
    clock: systemClock,
    newId,
    readTimeoutMs,
    finishAfterMs,
    ...memory,
    onWarning,
  });
}

/** Opens the engine, and drops every keyspace that tests left. */
export async function openEmptied(port: number, dialect: Dialect = 'strict'): Promise<Engine> {
  const engine = await openOnCluster(port, undefined, dialect);
  for (const name of (await engine.readSchema()).keyspaces.keys())
    await engine.changeSchema({ kind: 'dropKeyspace', name });
  return engine;
}
