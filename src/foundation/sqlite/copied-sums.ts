// The checksums of the pages of a copy of a database. A page that is damaged keeps the sum that it had before, so that
// the damage is found in the copy, too.
import type { DatabaseSnapshot } from './database-snapshot.js';
import { asWithLog, isEqualPair, type NumberPair } from './log-format.js';
import type { LogReading } from './logged-pages.js';
import { sumOfPage } from './page-sum.js';
import { findSums, PageSums, packHead, packSums, sumsAt } from './page-sums.js';

/** Makes the sums of a copy from its pages and from the sums of the database. */
export class CopiedSums {
  readonly #sums: PageSums | undefined;
  readonly #pieces: Buffer[] = [];
  #pages = 0;
  #pageBytes = 0;
  /** Pages of the database that differ from their sums, with these. */
  readonly #different = new Map<number, NumberPair>();

  /** Call it before the database is opened. @throws errors of the file system */
  constructor(path: string) {
    const found = findSums(path);
    this.#sums = found.kind === 'usable' ? new PageSums(path, found, false) : undefined;
  }

  /** Takes the next whole pages of the copy. */
  take(pages: Buffer, pageBytes: number): void {
    const first = this.#pages + 1;
    const count = pages.length / pageBytes;
    const known = this.#sums?.read(first, count) ?? [];
    const sums: NumberPair[] = [];
    for (let at = 0; at < count; at += 1) {
      const number = first + at;
      const page = pages.subarray(at * pageBytes, (at + 1) * pageBytes);
      const sum = sumOfPage(number, page);
      sums.push(sum);
      const before = known[at];
      if (before === undefined || isEqualPair(before, sum)) continue;
      // A copy has no log; the database has one, unless it is a copy itself.
      const isSame = number === 1 && isEqualPair(before, sumOfPage(1, asWithLog(page)));
      if (!isSame) this.#different.set(number, before);
    }
    this.#pieces.push(packSums(sums));
    this.#pages += count;
    this.#pageBytes = pageBytes;
  }

  /**
   * Returns the content of the file of the sums, and the numbers of the pages that are damaged. What was noted
   * while the copy was made is in the log, which loses nothing while the snapshot is open.
   * @throws see `findLoggedPages`
   */
  async finish(
    snapshot: DatabaseSnapshot,
    reading: LogReading,
  ): Promise<{ readonly content: Buffer; readonly damaged: readonly number[] }> {
    if (this.#different.size > 0) await snapshot.readLog(reading);
    const content = Buffer.concat([packHead(this.#pageBytes), ...this.#pieces]);
    const damaged = [...this.#different].filter(([page]) => !snapshot.hasInLog(page));
    for (const [page, sum] of damaged) packSums([sum]).copy(content, sumsAt(page));
    return { content, damaged: damaged.map(([page]) => page) };
  }

  close(): void {
    this.#sums?.close();
  }
}
