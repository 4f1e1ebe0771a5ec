// The light mixture of a soak: each kind of work at its own rate, tables that come and go among it.
import { sendCommand } from './bench-servers.js';

/** How often each kind of work is done in a second; 0 not at all. */
export type SoakRates = Readonly<Record<(typeof kinds)[number], number>>;

const kinds = ['tables', 'vectorTables', 'searches', 'reads', 'writes'] as const;
type Kind = (typeof kinds)[number];

const keyspace = '/v1/default_keyspace';
const rowCount = 1000;
const dimension = 64;
const rowsPerInsert = 100;
/** Work of one kind that may be under way at the same time; what does not fit is left out. */
const mostUnderWay = 16;

export class SoakLoad {
  readonly #port: number;
  readonly #rates: SoakRates;
  readonly #done: Record<Kind, number> = { tables: 0, vectorTables: 0, searches: 0, reads: 0, writes: 0 };
  readonly #underWay = new Set<Promise<void>>();
  #made = 0;
  /** Commands that failed so far. */
  errorCount = 0;

  constructor(port: number, rates: SoakRates) {
    this.#port = port;
    this.#rates = rates;
  }

  /** Makes and fills the table that stays. */
  async prepare(): Promise<void> {
    await this.#createTable('kept', true);
    for (let first = 0; first < rowCount; first += rowsPerInsert) {
      const documents = Array.from({ length: rowsPerInsert }, (_, at) => makeRow(first + at, 0));
      await this.#send('/kept', { insertMany: { documents } });
    }
  }

  /** Works until then, by `performance.now()`. */
  async run(endMs: number): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#repeat(kind, endMs)));
    await Promise.all(this.#underWay);
  }

  /** How much was done. */
  describe(): string {
    const done = kinds.map((kind) => `${this.#done[kind]} ${kind}`).join(', ');
    return `${done}; ${this.errorCount} errors`;
  }

  async #repeat(kind: Kind, endMs: number): Promise<void> {
    const rate = this.#rates[kind];
    if (rate <= 0) return;
    let underWay = 0;
    for (let dueMs = performance.now(); dueMs < endMs; dueMs += 1000 / rate) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
      if (underWay >= mostUnderWay) continue;
      underWay += 1;
      const work: Promise<void> = this.#work(kind)
        .then(
          () => {
            this.#done[kind] += 1;
          },
          (error: unknown) => {
            this.errorCount += 1;
            if (this.errorCount <= 3) console.error(kind, error);
          },
        )
        .finally(() => {
          underWay -= 1;
          this.#underWay.delete(work);
        });
      this.#underWay.add(work);
    }
  }

  async #work(kind: Kind): Promise<void> {
    switch (kind) {
      case 'tables':
      case 'vectorTables':
        return this.#useTable(kind === 'vectorTables');
      case 'searches':
        return this.#send('/kept', {
          find: { sort: { embedding: makeVector() }, projection: { id: true }, options: { limit: 10 } },
        });
      case 'reads':
        return this.#send('/kept', { findOne: { filter: { id: randomId() } } });
      case 'writes':
        return this.#send('/kept', { insertOne: { document: makeRow(randomId(), this.#done.writes) } });
    }
  }

  /** Makes a table, writes, reads, changes and drops it. */
  async #useTable(hasVectors: boolean): Promise<void> {
    this.#made += 1;
    const name = `passing_${this.#made}`;
    await this.#createTable(name, hasVectors);
    await this.#send(`/${name}`, { insertMany: { documents: [makeRow(1, 1), makeRow(2, 1)] } });
    await this.#send(`/${name}`, { findOne: { filter: { id: 1 } } });
    await this.#send(`/${name}`, { updateOne: { filter: { id: 1 }, update: { $set: { amount: 2 } } } });
    if (hasVectors) await this.#send(`/${name}`, { find: { sort: { embedding: makeVector() } } });
    await this.#send('', { dropTable: { name } });
  }

  async #createTable(name: string, hasVectors: boolean): Promise<void> {
    const columns = { id: 'int', content: 'text', amount: 'int', embedding: { type: 'vector', dimension } };
    await this.#send('', { createTable: { name, definition: { columns, primaryKey: 'id' } } });
    if (!hasVectors) return;
    await this.#send(`/${name}`, {
      createVectorIndex: { name: `${name}_by_embedding`, definition: { column: 'embedding' } },
    });
  }

  #send(path: string, command: unknown): Promise<void> {
    return sendCommand(this.#port, `${keyspace}${path}`, command);
  }
}

function randomId(): number {
  return Math.floor(Math.random() * rowCount);
}

function makeRow(id: number, amount: number): object {
  return { id, content: 'é'.repeat(100), amount, embedding: makeVector() };
}

function makeVector(): readonly number[] {
  return Array.from({ length: dimension }, () => Math.random() - 0.5);
}
