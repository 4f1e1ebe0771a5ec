// Inserts the rows of `bench:text`: into a table with a text index, into one without, and into FTS5.
import { sendCommand } from '../bench-servers.js';
import type { ServerProcess } from '../child-process.js';
import type { Figure } from '../figures.js';
import { atMost } from '../load-runs.js';
import { rowsPerInsertMany } from '../request-source.js';
import type { FtsIndex } from './fts-index.js';
import type { Texts } from './text-data.js';
import { textTable } from './text-requests.js';

const keyspacePath = `/v1/${textTable.keyspace}`;

/** Processor time of a row in microseconds. */
interface InsertTimes {
  readonly plain: number;
  readonly indexed: number;
  readonly fts: number;
}

/** The inserts of one run. */
export class InsertRuns {
  readonly #server: ServerProcess;
  readonly #fts: FtsIndex;
  readonly #texts: Texts;

  constructor(server: ServerProcess, fts: FtsIndex, texts: Texts) {
    this.#server = server;
    this.#fts = fts;
    this.#texts = texts;
  }

  /** Inserts all rows; of the first and of the last ones the times are compared. */
  async measure(rowCount: number, compared: number): Promise<readonly Figure[]> {
    await this.#createTables();
    const early = await this.#compare(0, compared);
    const later = Math.max(compared, rowCount - compared);
    for (let from = compared; from < later; from += rowsPerInsertMany) {
      await this.#insert(textTable.indexed, from);
      this.#insertIntoFts(from);
    }
    const late = later < rowCount ? await this.#compare(later, rowCount) : undefined;
    return [
      ...insertFigures('the first rows', early),
      ...(late === undefined ? [] : insertFigures('the last rows', late)),
    ];
  }

  async #createTables(): Promise<void> {
    const { port } = this.#server;
    for (const name of [textTable.plain, textTable.indexed]) {
      const definition = { columns: { id: 'int', body: 'text' }, primaryKey: 'id' };
      await sendCommand(port, keyspacePath, { createTable: { name, definition } });
    }
    const createTextIndex = { name: 'words', definition: { column: 'body' } };
    await sendCommand(port, `${keyspacePath}/${textTable.indexed}`, { createTextIndex });
  }

  /** Inserts rows into both tables and into FTS5, by turns. */
  async #compare(first: number, end: number): Promise<InsertTimes> {
    const seconds = { plain: 0, indexed: 0 };
    let ftsMicroseconds = 0;
    // In long turns, because the system counts processor time in hundredths of seconds.
    const rowsPerTurn = rowsPerInsertMany * 20;
    for (let from = first; from < end; from += rowsPerTurn) {
      const turnEnd = Math.min(end, from + rowsPerTurn);
      for (const table of [textTable.plain, textTable.indexed]) {
        const before = this.#server.cpuSeconds();
        for (let at = from; at < turnEnd; at += rowsPerInsertMany) await this.#insert(table, at);
        seconds[table] += this.#server.cpuSeconds() - before;
      }
      for (let at = from; at < turnEnd; at += rowsPerInsertMany) ftsMicroseconds += this.#insertIntoFts(at);
    }
    const count = end - first;
    const perRow = (time: number) => (time * 1e6) / count;
    return { plain: perRow(seconds.plain), indexed: perRow(seconds.indexed), fts: ftsMicroseconds / count };
  }

  async #insert(table: string, from: number): Promise<void> {
    const documents = this.#textsFrom(from).map((body, at) => ({ id: from + at, body }));
    await sendCommand(this.#server.port, `${keyspacePath}/${table}`, { insertMany: { documents } });
  }

  /** Returns the processor time of the index alone, in microseconds. */
  #insertIntoFts(from: number): number {
    const texts = this.#textsFrom(from);
    this.#fts.insertRows(from, texts);
    const before = process.cpuUsage();
    this.#fts.insert(from, texts);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  #textsFrom(from: number): readonly string[] {
    return Array.from({ length: rowsPerInsertMany }, (_, at) => this.#texts.textOf(from + at));
  }
}

function insertFigures(which: string, { plain, indexed, fts }: InsertTimes): readonly Figure[] {
  const name = `processor time of an inserted row, ${which}`;
  return [
    { name: `${name}, beside no index`, value: indexed, unit: 'µs', reference: plain, target: atMost(4) },
    {
      name: `${name}, the index alone, beside FTS5`,
      value: indexed - plain,
      unit: 'µs',
      reference: fts,
      target: atMost(4),
    },
  ];
}
