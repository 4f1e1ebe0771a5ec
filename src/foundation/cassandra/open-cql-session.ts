// Opens data sessions. The driver takes 18 MB of memory: it is loaded with the first one.
import type { CqlSession, CqlSessionOptions } from './cql-session.js';

/** A session whose first attempt to connect is under way. */
export async function openCqlSession(options: CqlSessionOptions): Promise<CqlSession> {
  const { DriverCqlSession } = await import('./driver-cql-session.js');
  return new DriverCqlSession(options);
}
