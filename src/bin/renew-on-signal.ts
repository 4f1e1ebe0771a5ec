// Handles SIGHUP: reads the certificate and the users again while the server runs.
import { ConfigProblems } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { readTlsFiles, warnOfDates } from '../foundation/http/tls-files.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import type { LogFields, Logger } from '../foundation/telemetry/logger.js';
import { usersOf } from '../ops-service/access/users.js';
import { OpsError } from '../ops-service/errors/ops-error.js';
import type { DataServer } from './data/data-server.js';
import type { OpenOpsService } from './ops/open-ops-service.js';

/** The parts that are renewed, and their sources. */
export interface Renewed {
  readonly config: Config;
  /** The parts that are open now: those of a follower are opened again. @throws Error if the server is closed */
  readonly parts: () => Promise<{ readonly data: DataServer; readonly ops: OpenOpsService }>;
  readonly logger: Logger;
  /** Gets the configuration with the users that are known from now on. */
  readonly onUsers: (again: Config) => void;
  readonly readConfigAgain?: (() => Config) | undefined;
}

/**
 * Handles SIGHUP if there is something to read again; otherwise the signal ends the process, as when its terminal is
 * closed. Files that cannot be used are logged and change nothing.
 */
export function renewOnSignal(renewed: Renewed): void {
  const { config, logger } = renewed;
  const renewals = [
    ...(config.tlsCert === undefined
      ? []
      : [{ renew: renewTls, failure: 'the certificate could not be read again' }]),
    ...(config.config === undefined
      ? []
      : [{ renew: renewUsers, failure: 'the users could not be read again' }]),
  ];
  if (renewals.length === 0) return;
  process.on('SIGHUP', () => {
    for (const { renew, failure } of renewals)
      renew(renewed).catch((error) => logger.error(problemsOf(error), failure));
  });
}

/** What is wrong with the files, in words; any other error is a fault of the server, of which the stack is needed. */
function problemsOf(error: unknown): LogFields {
  if (error instanceof ConfigProblems) return { problems: error.problems };
  return error instanceof OpsError ? { problems: [error.message] } : { err: error };
}

async function renewTls({ config, parts, logger }: Renewed): Promise<void> {
  const { data, ops } = await parts();
  const identity = readTlsFiles(config);
  if (identity === undefined) return;
  await data.renewTls(identity);
  await ops.renewTls(identity);
  logger.info({ tlsCert: config.tlsCert }, 'the certificate was read again');
  warnOfDates(identity, config, systemClock.nowMs(), logger);
}

async function renewUsers({ readConfigAgain, parts, logger, onUsers }: Renewed): Promise<void> {
  const { ops } = await parts();
  const again = readConfigAgain?.();
  if (again === undefined) return;
  // `again` was checked with its own host, but the port stays open on the host of the start. So the list of users must
  // not become empty: without users the server opens only loopback addresses.
  const known = usersOf(again);
  await ops.renewUsers(known);
  onUsers(again);
  const startUsers = known.startUser === undefined ? [] : [{ name: known.startUser.name, role: 'operator' }];
  logger.info(
    { users: [...known.users.map(({ name, role }) => ({ name, role })), ...startUsers] },
    'the users were read again',
  );
}
