// Attacks on the operations port by what is sent to it and asked of it.
import type { Attack, AttackPlace } from './overload-attack.js';
import { type Outcome, requestHead } from './overload-client.js';
import { bodyBytes } from './overload-reads.js';

/** More than a body may have, and nearly as many as it may. */
const memberCounts = [80_000, 1000];
/** A year of minutes. */
const metricValues = 525_600;

/** The attacks on the operations port. */
export const opsAttacks: readonly Attack[] = [
  {
    name: 'ops-members',
    help: 'bodies of 80,000 and of 1,000 unknown members to the operations port',
    connections: 8,
    tables: [],
    statuses: [400],
    begin: (place) => {
      const body = membersMade[place.connection % membersMade.length] ?? Buffer.alloc(0);
      const request = bodyBytes({ path: '/local/alert-rules' }, body);
      return async () => [await askOps(place, request)];
    },
  },
  {
    name: 'ops-metrics',
    help: 'new-metrics of 525,600 values',
    connections: 8,
    tables: [],
    begin: (place) => {
      const endS = Math.floor(Date.now() / 60_000) * 60;
      const range = `start=${endS - metricValues * 60}&end=${endS}&step=60`;
      const path = `/local/new-metrics?metrics=read-ops&${range}`;
      return async () => [await askOps(place, [requestHead({ method: 'GET', path }, 0)])];
    },
  },
];

const membersMade = memberCounts.map((count) =>
  Buffer.from(`{${Array.from({ length: count }, (_, at) => `"m${at}":1`).join(',')}}`),
);

async function askOps(place: AttackPlace, request: readonly Uint8Array[]): Promise<Outcome> {
  const client = await place.connect(place.opsPort);
  for (const part of request) client.write(part);
  const outcome = await client.read(place.patienceMs);
  client.destroy();
  return outcome;
}
