// Compares secrets without revealing where they differ.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Takes the same time wherever the difference is, and whatever the lengths are. */
export function isSameSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
