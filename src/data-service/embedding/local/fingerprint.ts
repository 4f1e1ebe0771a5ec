// The fingerprint of a local model, which stays the same as long as its vectors do.
import { createHash } from 'node:crypto';

/** 128 bits of a hash are enough: no two models have the same by chance. */
const length = 32;

/**
 * Hexadecimal digits of the SHA-256 of the weights, the tokenizer and the settings that change vectors. `weights` is a
 * SHA-256 in hexadecimal digits, `settings` plain data.
 */
export function fingerprintOf(weights: string, tokenizer: Buffer, settings: readonly unknown[]): string {
  const hash = createHash('sha256').update(`${weights}\n`);
  hash.update(createHash('sha256').update(tokenizer).digest('hex'));
  hash.update(`\n${JSON.stringify(settings)}`);
  return hash.digest('hex').slice(0, length);
}
