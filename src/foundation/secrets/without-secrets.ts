// Blanks secrets in what others say: services quote the key or the path that they refuse.

/** Shorter texts would hide half of every message, and are not secrets. */
const leastLength = 4;

/**
 * The text with `***` for every secret in it, also as it would stand in JSON. To be asked before the text is cut: what
 * is left of a secret at a cut is not found.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  const longestFirst = [...forms].sort((left, right) => right.length - left.length);
  return longestFirst.reduce(
    (clean, secret) => (secret.length < leastLength ? clean : clean.replaceAll(secret, '***')),
    text,
  );
}
