// Removes secrets from texts of other services, which quote the key or the path that they refuse.

/** Shorter texts are not secrets, and replacing them would make messages unreadable. */
const leastLength = 4;

/**
 * The text with `***` for every secret in it, also in the form that JSON writes. Call it before the text is truncated:
 * a truncated secret is not found.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  const longestFirst = [...forms].sort((left, right) => right.length - left.length);
  return longestFirst.reduce(
    (clean, secret) => (secret.length < leastLength ? clean : clean.replaceAll(secret, '***')),
    text,
  );
}
