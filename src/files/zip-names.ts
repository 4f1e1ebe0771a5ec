// The names of the files in a ZIP archive, to say what it is.

/** The number of bytes at the end of an archive that are read: they have its comment and the names of some files. */
export const zipEndBytes = 128 * 1024;

/** Bytes of the entry of a file in the directory, without its name. */
const entryBytes = 46;
const entryMark = [0x50, 0x4b, 0x01, 0x02];

/** The names in the directory, which is the end of an archive. It may name more files than this end has. */
export function zipNames(end: Uint8Array): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at + entryBytes <= end.length; at += 1) {
    if (!entryMark.every((byte, index) => end[at + index] === byte)) continue;
    const length = (end[at + 28] ?? 0) + (end[at + 29] ?? 0) * 256;
    names.push(new TextDecoder().decode(end.subarray(at + entryBytes, at + entryBytes + length)));
    at += entryBytes + length - 1;
  }
  return names;
}
