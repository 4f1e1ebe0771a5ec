// Several sources as one: rows in the order of tokens, each once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blob } from '../../../column-types/blob.js';
import { text } from '../../../column-types/text.js';
import { ApiError } from '../../../errors/api-error.js';
import type { RowValues } from '../../../query/read.js';
import { makeTable } from '../../../schema/table.js';
import { tokenColumn } from '../statements/select-statements.js';
import { MergedPages, type SourcePages } from './merged-pages.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'k', type: blob },
      { name: 'v', type: text },
    ],
    partitionKey: ['k'],
    clustering: [],
  },
);
const columns = [...table.columns, tokenColumn];

/** A source that gives its pages one after another. */
class Pages implements SourcePages {
  readonly #pages: readonly (readonly RowValues[])[];
  read = 0;

  constructor(...pages: readonly (readonly RowValues[])[]) {
    this.#pages = pages;
  }

  get isAtEnd(): boolean {
    return this.read >= this.#pages.length;
  }

  next(): Promise<readonly RowValues[]> {
    this.read += 1;
    return Promise.resolve(this.#pages[this.read - 1] ?? []);
  }
}

function row(token: number, key = token, value = 'v'): RowValues {
  return [Buffer.of(key & 0xff), value, BigInt(token)];
}

async function tokensOf(pages: SourcePages): Promise<readonly (readonly number[])[]> {
  const found: number[][] = [];
  while (!pages.isAtEnd) found.push((await pages.next()).map((each) => Number(each[2])));
  return found;
}

describe('merged pages', () => {
  it('are in the order of tokens, and have each row once', async () => {
    const sources = [
      new Pages([row(-5), row(1), row(7)]),
      new Pages([], [row(1), row(2)], [row(9)]),
      new Pages(),
    ];
    assert.deepEqual((await tokensOf(new MergedPages(sources, columns, table))).flat(), [-5, 1, 2, 7, 9]);
  });

  it('have rows with the same token and different keys', async () => {
    const sources = [
      new Pages([row(1, 1), row(1, 2)]),
      new Pages([row(1, 1), row(1, 2)]),
      new Pages([row(1, 3)]),
    ];
    assert.deepEqual((await tokensOf(new MergedPages(sources, columns, table))).flat(), [1, 1, 1]);
  });

  it('end where a source has to be read again, and read only that one', async () => {
    const [one, other] = [new Pages([row(1), row(2)], [row(3)]), new Pages([row(5), row(6)], [row(7)])];
    const pages = new MergedPages([one, other], columns, table);
    assert.deepEqual((await pages.next()).length, 2);
    assert.deepEqual([one.read, other.read], [1, 1]);
    assert.deepEqual((await tokensOf(pages)).flat(), [3, 5, 6, 7]);
  });

  it('are refused if those of all sources are too large together', async () => {
    const large = () => new Pages([row(1, 1, 'x'.repeat(12 * 1024 * 1024))]);
    const pages = new MergedPages([large(), large(), large()], columns, table);
    await assert.rejects(
      pages.next(),
      (error) => error instanceof ApiError && error.code === 'TIMEOUT_READING_DATA',
    );
  });

  it('fail as a source does', async () => {
    const broken: SourcePages = { isAtEnd: false, next: () => Promise.reject(new Error('gone')) };
    await assert.rejects(new MergedPages([new Pages([row(1)]), broken], columns, table).next(), /gone/);
  });
});
