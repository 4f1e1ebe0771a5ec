// Collects all rows of a result, as texts, page by page and up to limits.
import type { CassandraRows, RowsPage } from './session.js';

/** The rows of a result with their values as texts. */
export interface RenderedRows extends Pick<CassandraRows, 'columns'> {
  /** In the order of the columns. */
  readonly rows: readonly (readonly string[])[];
}

const mostRows = 1_000;
/** The size of all values as texts, about. */
const mostMebibytes = 16;

/** The result has more rows, or larger ones, than are collected. */
export class TooManyRows extends Error {
  constructor() {
    const problem = `the result has more than ${mostRows} rows or more than ${mostMebibytes} MiB`;
    super(`${problem}; select fewer rows, or add a LIMIT`);
  }
}

/** Rows of the first page, of whose size nothing is known, and of a later one at most. */
const firstPageRows = 20;
const mostPageRows = 500;
/** A page takes one turn of the event loop to be decoded and rendered. */
const pageBytes = 256 * 1024;

/**
 * Asks for pages until there are none left. `render` gets the type of the column and the value of the driver.
 * @throws TooManyRows
 */
export async function collectRows(
  ask: (pageRows: number, page: string | null) => Promise<RowsPage>,
  render: (type: string, value: unknown) => string,
): Promise<RenderedRows> {
  const rows: (readonly string[])[] = [];
  let bytes = 0;
  let pageRows = firstPageRows;
  for (let page: string | null = null; ; ) {
    const { columns, rows: given, next }: RowsPage = await ask(pageRows, page);
    for (const row of given) {
      const texts = row.map((value, at) => render(columns[at]?.type ?? '', value));
      for (const { length } of texts) bytes += length;
      rows.push(texts);
      if (rows.length > mostRows || bytes > mostMebibytes * 1024 * 1024) throw new TooManyRows();
    }
    if (next === null) return { columns, rows };
    const fitting = Math.floor((pageBytes * rows.length) / Math.max(1, bytes));
    // Cassandra ignores the page state if a page is as large as the LIMIT of the statement. The LIMIT is not known
    // here, but it is greater than a page that has a next one, and than the number of all rows so far.
    const surelyLess = Math.max(firstPageRows, rows.length);
    pageRows = Math.min(mostPageRows, Math.max(1, fitting), mostRows + 1 - rows.length, surelyLess);
    page = next;
  }
}
