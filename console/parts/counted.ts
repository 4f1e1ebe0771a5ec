// Numbers with the word that they count.

/** `1 row`, `10,000 rows`; the word in the singular, its plural with an s. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString()} ${word}${count === 1 ? '' : 's'}`;
}
