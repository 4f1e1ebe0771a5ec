// Inserts the rows of `bench:text`: into a table with a text index, into one without, and into FTS5. The processor time
// of a row includes what follows at rest: merges of the index, and moving the write-ahead log into the file.
import { atRest } from '../at-rest.js';
import { sendCommand } from '../bench-servers.js';
import type { ServerProcess } from '../child-process.js';
import type { Figure, Pair } from '../figures.js';
import { atMost, type LoadRuns, maxWholeTableSeconds } from '../load-runs.js';
import type { RequestKind } from '../request-kinds.js';
import { rowsPerInsertMany } from '../request-source.js';
import type { FtsIndex } from './fts-index.js';
import { kindOf, type Texts } from './text-data.js';
import { textTable, textTables } from './text-requests.js';

const keyspacePath = `/v1/${textTable.keyspace}`;

/** Processor time of a row in microseconds. */
interface InsertTimes {
  readonly plain: number;
  readonly indexed: number;
  readonly fts: number;
}

/** In long turns, because the system counts processor time in hundredths of seconds, and each ends with a rest. */
const rowsPerTurn = 25_000;
/** So many rows come before, into both tables: functions are compiled meanwhile. */
const rowsBefore = 10_000;

const connections = 64;

export class InsertRuns {
  readonly #runs: LoadRuns;
  readonly #server: ServerProcess;
  readonly #fts: FtsIndex;
  readonly #texts: Texts;

  constructor(runs: LoadRuns, server: ServerProcess, fts: FtsIndex, texts: Texts) {
    this.#runs = runs;
    this.#server = server;
    this.#fts = fts;
    this.#texts = texts;
  }

  /** Inserts all rows; of the first and of the last ones the times are compared. */
  async measure(rowCount: number, compared: number): Promise<readonly Figure[]> {
    await this.#createTables();
    const first = Math.min(rowsBefore, Math.max(0, rowCount - compared));
    for (const table of [textTable.plain, textTable.indexed]) await this.#insertRows(table, 0, first);
    for (let from = 0; from < first; from += rowsPerInsertMany) this.#insertIntoFts(from);
    await atRest(this.#server);
    const early = await this.#compare(first, first + compared);
    const single = await this.#compareSingle(compared);
    const later = Math.max(first + compared, rowCount - compared);
    for (let from = first + compared; from < later; from += rowsPerInsertMany) {
      await this.#insert(textTable.indexed, from);
      this.#insertIntoFts(from);
    }
    await atRest(this.#server);
    const late = later < rowCount ? await this.#compare(later, rowCount) : undefined;
    return [
      ...insertFigures('the first rows', early),
      {
        name: `processor time of a row of insertOne, ${connections} connections, beside no index`,
        ...single,
        unit: 'µs',
        target: atMost(4),
      },
      ...(late === undefined ? [] : insertFigures('the last rows', late)),
    ];
  }

  async #createTables(): Promise<void> {
    const { port } = this.#server;
    for (const { name, index } of textTables) {
      const definition = { columns: { id: 'int', body: 'text', kind: 'int' }, primaryKey: 'id' };
      await sendCommand(port, keyspacePath, { createTable: { name, definition } });
      if (index === undefined) continue;
      const createTextIndex = { name: index, definition: { column: 'body' } };
      await sendCommand(port, `${keyspacePath}/${name}`, { createTextIndex });
    }
  }

  /** Inserts rows into both tables and into FTS5, by turns. */
  async #compare(first: number, end: number): Promise<InsertTimes> {
    const seconds = { plain: 0, indexed: 0 };
    let ftsMicroseconds = 0;
    for (let from = first; from < end; from += rowsPerTurn) {
      const turnEnd = Math.min(end, from + rowsPerTurn);
      for (const table of [textTable.plain, textTable.indexed]) {
        seconds[table] += await this.#secondsOf(() => this.#insertRows(table, from, turnEnd));
      }
      for (let at = from; at < turnEnd; at += rowsPerInsertMany) ftsMicroseconds += this.#insertIntoFts(at);
    }
    const count = end - first;
    const perRow = (time: number) => (time * 1e6) / count;
    return { plain: perRow(seconds.plain), indexed: perRow(seconds.indexed), fts: ftsMicroseconds / count };
  }

  /** The processor time of a row of insertOne in microseconds, in tables of their own. */
  async #compareSingle(rows: number): Promise<Pair> {
    let first = 0;
    const perRow = async (request: RequestKind) => {
      const plan = { request, connections, requests: rows, rowCount: first, seconds: maxWholeTableSeconds };
      const seconds = await this.#secondsOf(() => this.#runs.load(this.#server, plan));
      return (seconds * 1e6) / rows;
    };
    await this.#runs.load(this.#server, {
      request: 'insertPlainText',
      connections,
      requests: rowsBefore,
      rowCount: 1_000_000_000,
    });
    return this.#runs.alternate(
      () => perRow('insertPlainText'),
      async () => {
        const value = await perRow('insertIndexedText');
        first += rows + connections;
        return value;
      },
    );
  }

  /** The processor time of the server until it is at rest. */
  async #secondsOf(work: () => Promise<unknown>): Promise<number> {
    const before = this.#server.cpuSeconds();
    await work();
    await atRest(this.#server);
    return this.#server.cpuSeconds() - before;
  }

  async #insertRows(table: string, from: number, end: number): Promise<void> {
    for (let at = from; at < end; at += rowsPerInsertMany) await this.#insert(table, at);
  }

  async #insert(table: string, from: number): Promise<void> {
    const documents = this.#textsFrom(from).map((body, at) => ({
      id: from + at,
      body,
      kind: kindOf(from + at),
    }));
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
  const name = `processor time of a row of insertMany, ${which}`;
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
