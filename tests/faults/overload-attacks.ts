// The table of attacks: everything that a server must bear from its clients at the same time.
import type { Attack } from './overload-attack.js';
import { documentAttacks } from './overload-documents.js';
import { floodAttacks } from './overload-floods.js';
import { opsAttacks } from './overload-ops.js';
import { readAttacks } from './overload-reads.js';
import { sendAttacks } from './overload-sends.js';
import { textAttacks } from './overload-texts.js';

/** Every attack. */
export const attacks: readonly Attack[] = [
  ...readAttacks,
  ...sendAttacks,
  ...documentAttacks,
  ...textAttacks,
  ...floodAttacks,
  ...opsAttacks,
];

/** The attack of that name. @throws Error that lists the names */
export function attackNamed(name: string): Attack {
  const found = attacks.find((attack) => attack.name === name);
  if (found === undefined)
    throw new Error(
      `there is no attack "${name}"; there are: ${attacks.map((attack) => attack.name).join(', ')}`,
    );
  return found;
}

/**
 * How many connections each attack has in a mixture of so many: its share of what they all have alone, at least one.
 * Without a number, as many as it has alone.
 */
export function shareConnections(
  chosen: readonly Attack[],
  connections: number | undefined,
): ReadonlyMap<Attack, number> {
  const all = chosen.reduce((sum, attack) => sum + attack.connections, 0);
  const share = connections === undefined ? 1 : connections / all;
  return new Map(chosen.map((attack) => [attack, Math.max(1, Math.round(attack.connections * share))]));
}
