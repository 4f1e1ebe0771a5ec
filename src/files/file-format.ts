// What the name of a file says about its content.

/** How rows are written in a file: as CSV, or as JSON objects, in lines or in the other usual forms. */
export type FileFormat = 'csv' | 'ndjson';

/** Ends of names that say how a file is compressed. An export writes the first one. */
const compressed = String.raw`(?:\.(?:gz|zst|bz2|xz|zip))?$`;
const csv = new RegExp(String.raw`\.(?:csv|tsv)${compressed}`, 'i');
const json = new RegExp(String.raw`\.(?:ndjson|jsonl|json)${compressed}`, 'i');
const tabs = new RegExp(String.raw`\.tsv${compressed}`, 'i');

/** The format by the end of a path; undefined if it says nothing. */
export function formatOf(path: string): FileFormat | undefined {
  if (csv.test(path)) return 'csv';
  return json.test(path) ? 'ndjson' : undefined;
}

/** A name without the ends that say how the file is written and compressed. */
export function stemOf(name: string): string {
  return name.replace(new RegExp(compressed, 'i'), '').replace(/\.(?:csv|tsv|txt|ndjson|jsonl|json)$/i, '');
}

/** Whether the end of a path says that the content is compressed by gzip. */
export function isCompressed(path: string): boolean {
  return /\.gz$/i.test(path);
}

/** The delimiter by the end of a path; undefined if it says nothing. */
export function delimiterOf(path: string): string | undefined {
  return tabs.test(path) ? '\t' : undefined;
}

/** The format by the beginning of a text: a JSON object or array, or else CSV. */
export function formatOfText(beginning: string): FileFormat {
  // Objects of a sequence (RFC 7464) have a record separator before them.
  return /^[[{]/.test(beginning.replaceAll('\u001e', '').trimStart()) ? 'ndjson' : 'csv';
}

/** Why an export cannot write a file with this name; undefined if it can. */
export function unwritableName(path: string): string | undefined {
  const coding = /\.(zst|bz2|xz|zip|7z|lz4|br)$/i.exec(path)?.[1];
  if (coding !== undefined)
    return `an export is compressed by gzip only: give a name that ends with .gz instead of .${coding}`;
  return /\.json(?:\.gz)?$/i.test(path)
    ? 'an export has an object in each line, and .json says that a file is one JSON text: give .ndjson'
    : undefined;
}
