// Compares secrets without revealing where they differ.
import { createHash, timingSafeEqual } from 'node:crypto';

/** The time depends neither on where the texts differ nor on their lengths. */
export function isSameSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
