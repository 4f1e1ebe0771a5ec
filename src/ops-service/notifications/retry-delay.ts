// How long a failed notice waits before it is tried again.

const firstMs = 1000;
const mostMs = 300_000;

/**
 * Doubles from one second to five minutes; between half of that and the whole, so that what failed together does not
 * come back together. What a receiver asks for is the least. `random` is in [0, 1).
 */
export function retryDelayMs(attempts: number, random: number, askedForMs = 0): number {
  const backOffMs = Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), mostMs);
  return Math.max(backOffMs * (0.5 + random / 2), askedForMs);
}
