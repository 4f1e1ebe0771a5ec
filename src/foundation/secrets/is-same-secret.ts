// Compares secrets without revealing where they differ.
import { createHash, timingSafeEqual } from 'node:crypto';

/** The time depends neither on where the texts differ nor on their lengths. */
export function isSameSecret(given: string, wanted: string): boolean {
  return isSameDigest(secretDigest(given), secretDigest(wanted));
}

/** The SHA-256 of a secret, 32 bytes. */
export function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The time does not depend on where the digests differ. */
export function isSameDigest(given: Buffer, wanted: Buffer): boolean {
  return timingSafeEqual(given, wanted);
}
