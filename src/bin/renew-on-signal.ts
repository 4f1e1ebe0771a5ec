// Handles SIGHUP: reads the certificate and the users again while the server runs.
import type { Config } from '../foundation/config/options.js';
import type { Listener } from '../foundation/http/server.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import { usersOf } from '../ops-service/access/users.js';
import type { OpenOpsService } from './open-ops-service.js';
import { readTlsFiles } from './tls-files.js';

/** The parts that are renewed, and their sources. */
export interface Renewed {
  readonly config: Config;
  readonly listeners: readonly Listener[];
  readonly opsService: OpenOpsService;
  readonly logger: Logger;
  readonly readConfigAgain?: () => Config;
}

/**
 * Handles SIGHUP if there is something to read again; otherwise the signal ends the process, as it does when
 * its terminal is closed. Files that cannot be used are logged and change nothing.
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
    for (const { renew, failure } of renewals) renew(renewed).catch((err) => logger.error({ err }, failure));
  });
}

async function renewTls({ config, listeners, opsService, logger }: Renewed): Promise<void> {
  const identity = readTlsFiles(config);
  if (identity === undefined) return;
  for (const listener of listeners) listener.renewTls(identity);
  await opsService.renewTls(identity);
  logger.info({ tlsCert: config.tlsCert }, 'the certificate was read again');
}

async function renewUsers({ readConfigAgain, opsService, logger }: Renewed): Promise<void> {
  const again = readConfigAgain?.();
  if (again === undefined) return;
  // `again` was checked with its own host, but the open port keeps the host on which it was opened. There it is
  // enough that the list of users never becomes empty: without users only a loopback address is opened.
  const known = usersOf(again);
  await opsService.renewUsers(known);
  const startUsers = known.startUser === undefined ? [] : [{ name: known.startUser.name, role: 'operator' }];
  logger.info(
    { users: [...known.users.map(({ name, role }) => ({ name, role })), ...startUsers] },
    'the users were read again',
  );
}
