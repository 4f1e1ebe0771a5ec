// The parts of SQLite's write-ahead log that are read here: https://www.sqlite.org/fileformat2.html#walformat

/** The size of the head of a log. */
export const headBytes = 32;
/** The size of the head of a frame, which the content of a page follows. */
export const frameHeadBytes = 24;
const defaultPageBytes = 4096;

/** Two numbers of 32 bits: salts or checksums. */
export type NumberPair = readonly [number, number];

/** The size of the pages that the head of a log gives, in bytes; undefined if it is not a size of pages. */
export function pageBytesIn(head: Buffer): number | undefined {
  const bytes = head.readUInt32BE(8);
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0 ? bytes : undefined;
}

/** The bytes of a frame with its head. */
export function frameBytesIn(head: Buffer): number {
  return frameHeadBytes + (pageBytesIn(head) ?? defaultPageBytes);
}

/** The salts in the head of a log. Frames with others are of an earlier round of the log. */
export function saltsOfHead(head: Buffer): NumberPair {
  return pairAt(head, 16);
}

/** The salts in the head of a frame. */
export function saltsOfFrame(frame: Buffer): NumberPair {
  return pairAt(frame, 8);
}

/** The number of the page, from 1, that a frame has. */
export function pageOfFrame(frame: Buffer): number {
  return frame.readUInt32BE(0);
}

/** The size of the database after the commit that a frame ends, in pages; 0 for other frames. */
export function pagesAfterCommit(frame: Buffer): number {
  return frame.readUInt32BE(4);
}

/** The pair at an offset, in bytes. */
export function pairAt(bytes: Buffer, offset: number): NumberPair {
  return [bytes.readUInt32BE(offset), bytes.readUInt32BE(offset + 4)];
}

/** Whether both numbers are equal. */
export function isEqualPair([one, two]: NumberPair, [first, second]: NumberPair): boolean {
  return one === first && two === second;
}

/** Where the first page has the versions of the format for writing and reading; 2 is with a log. */
const formatVersionsAt = 18;
const withoutLog = 1;
const withLog = 2;

/** Whether a database with this first page has a log. Another version than 1 or 2 is damage, or of a later SQLite. */
export function hasLogVersion(page: Buffer): boolean {
  return page[formatVersionsAt] !== withoutLog;
}

/** The first page of a copy as it is in a database with a log. */
export function asWithLog(page: Buffer): Buffer {
  return Buffer.from(page).fill(withLog, formatVersionsAt, formatVersionsAt + 2);
}

/** Makes the first page that of a database without a log. */
export function removeLogVersion(page: Buffer): void {
  page.fill(withoutLog, formatVersionsAt, formatVersionsAt + 2);
}
