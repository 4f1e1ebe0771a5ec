// Whether the table data service asks nobody who they are.
import type { Config } from './options.js';

/** Whether requests without a token have the rights of the server. */
export function isOpenToAll({
  token,
  cassandraRequireUser,
}: Pick<Config, 'token' | 'cassandraRequireUser'>): boolean {
  return token === undefined && cassandraRequireUser === 'no';
}
