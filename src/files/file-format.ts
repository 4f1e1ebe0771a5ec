// What the name of a file says about its content.

/** How rows are written in a file. */
export type FileFormat = 'csv' | 'ndjson';

/** The format by the end of a path; undefined if it says nothing. */
export function formatOf(path: string): FileFormat | undefined {
  if (/\.(?:csv|tsv)(?:\.gz)?$/i.test(path)) return 'csv';
  return /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(path) ? 'ndjson' : undefined;
}

/** Whether the end of a path says that the content is compressed by gzip. */
export function isCompressed(path: string): boolean {
  return /\.gz$/i.test(path);
}

/** The delimiter by the end of a path; undefined if it says nothing. */
export function delimiterOf(path: string): string | undefined {
  return /\.tsv(?:\.gz)?$/i.test(path) ? '\t' : undefined;
}
