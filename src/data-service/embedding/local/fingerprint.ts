// The fingerprint of a local model, which stays the same as long as its vectors do.
import { createHash } from 'node:crypto';
import type { ModelSettings } from './model-settings.js';

/** 128 bits of a hash are enough: no two models have the same by chance. */
const length = 32;

/** Hexadecimal digits of the SHA-256 of the weights, the tokenizer and the settings. `weights` is a SHA-256 in hex. */
export function fingerprintOf(
  weights: string,
  tokenizer: Buffer,
  { isNormalized, mostTokens, prompts }: ModelSettings,
): string {
  const { passage, query } = prompts;
  const hash = createHash('sha256').update(`${weights}\n`);
  hash.update(createHash('sha256').update(tokenizer).digest('hex'));
  hash.update(`\n${JSON.stringify([isNormalized, mostTokens, passage, query])}`);
  return hash.digest('hex').slice(0, length);
}
