// Compares the pages of a database file with their checksums, while a server may write.
import { DatabaseSnapshot } from './database-snapshot.js';
import { isEqualPair } from './log-format.js';
import type { LogReading } from './logged-pages.js';
import { sumOfPage } from './page-sum.js';
import { findSums, PageSums, sumsPath } from './page-sums.js';

/** What a comparison found. */
export interface PageFindings {
  /** The numbers of pages that differ, from 1, in order. */
  readonly pages: readonly number[];
  /** Whether there are sums that can be compared; a sentence that says why not. */
  readonly without?: string;
  /** A sentence about damage of the sums themselves. */
  readonly problem?: string;
}

/** More pages are not looked for in the log: so many are damage in any case, and their number is bounded. */
const mostPages = 100_000;
const pagesAtOnce = 64;

/**
 * Compares all pages. Pages that are in the write-ahead log are not looked at in the file: the log has the content that
 * counts, and sums of its own. Call it before this process opens the database otherwise: closing the file releases its
 * locks.
 * @throws DatabaseFailure, what `reading.doPiece` throws
 */
export async function checkPages(path: string, reading: LogReading): Promise<PageFindings> {
  const found = findSums(path);
  const name = sumsPath(path);
  switch (found.kind) {
    case 'missing':
      return {
        pages: [],
        without: `${path} has no checksums of pages: the next start of a server makes them`,
      };
    case 'damaged':
      return { pages: [], problem: `${name} is damaged: remove it, and the next start of a server makes it` };
    case 'outdated':
      return {
        pages: [],
        without: `${name} is out of date, because a process ended: the next start of a server makes it`,
      };
    case 'usable':
      break;
  }
  const snapshot = new DatabaseSnapshot(path);
  try {
    const sums = new PageSums(path, found, false);
    try {
      const different = await findDifferent(snapshot, sums, reading);
      // What was noted meanwhile is in the log, which loses nothing while the snapshot is open.
      if (different.length > 0) await snapshot.readLog(reading);
      return { pages: different.filter((page) => !snapshot.hasInLog(page)) };
    } finally {
      sums.close();
    }
  } finally {
    snapshot.close();
  }
}

async function findDifferent(
  snapshot: DatabaseSnapshot,
  sums: PageSums,
  { doPiece }: LogReading,
): Promise<readonly number[]> {
  const { pageBytes } = sums;
  const buffer = Buffer.allocUnsafe(pagesAtOnce * pageBytes);
  const different: number[] = [];
  for (let first = 1; different.length < mostPages; first += pagesAtOnce) {
    const bytes = await doPiece(() => {
      const read = snapshot.readFile(buffer, (first - 1) * pageBytes);
      const count = Math.ceil(read / pageBytes);
      buffer.fill(0, read);
      for (const [at, sum] of sums.read(first, count).entries()) {
        const page = buffer.subarray(at * pageBytes, (at + 1) * pageBytes);
        if (sum !== undefined && !isEqualPair(sum, sumOfPage(first + at, page))) different.push(first + at);
      }
      return read;
    });
    if (bytes < buffer.length) break;
  }
  return different;
}
