// What SIGHUP does: the certificate and the users are read again while the server runs.
import type { Config } from '../foundation/config/options.js';
import type { Listener } from '../foundation/http/server.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import { usersOf } from '../ops-service/access/users.js';
import type { OpenOpsService } from './open-ops-service.js';
import { readTlsFiles } from './tls-files.js';

/** What is renewed, and from what. */
export interface Renewed {
  readonly config: Config;
  readonly listeners: readonly Listener[];
  readonly opsService: OpenOpsService;
  readonly logger: Logger;
  readonly readConfigAgain?: () => Config;
}

/**
 * Listens for SIGHUP where there is something to read again; elsewhere the signal ends the process, as it does when
 * its terminal is closed. What cannot be used is logged and leaves things as they are.
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
  // `again` was judged with the host it has itself; the port that is open keeps the host it was opened on. There it is
  // enough that users never become none: without users only a loopback address is opened.
  const known = usersOf(again);
  await opsService.renewUsers(known);
  const startUsers = known.startUser === undefined ? [] : [{ name: known.startUser.name, role: 'operator' }];
  logger.info(
    { users: [...known.users.map(({ name, role }) => ({ name, role })), ...startUsers] },
    'the users were read again',
  );
}
