// Writers of rows, documents and tables that note when each change was sent and acknowledged, so that any restored
// state can be compared with what was there at that moment.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../acceptance/ops-client.js';
import type { DataClient, DataReply, RowBody } from '../faults/data-client.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Change, RecordedWriter } from './recorded-states.js';

const keyspace = '/default_keyspace';
const rowsPath = `${keyspace}/kept_rows`;
const documentsPath = `${keyspace}/kept_documents`;

/** The writers of one load. */
const kinds = ['rows', 'rows', 'rows', 'documents', 'documents', 'documents', 'tables'] as const;
const mostPerCommand = 10;
/** A writer changes its latest keys, so that a load of any length is read back in a short time. */
const mostKeys = 60;
/** How long a writer waits before it sends a refused command again. */
const restOfRefusedMs = 100;
/** Each change of the schema is a commit of its own: without a rest few rows would be written beside them. */
const restOfTablesMs = 60;

/** Makes the table and the collection of the loads, on a server that can be slow to renew its lease. */
export async function createKept(client: DataClient): Promise<void> {
  const create = (path: string, command: object) =>
    waitFor('a server that writes', async () => {
      const reply = await client.send(path, command);
      const outcome = outcomeOf(reply);
      assert.ok(outcome !== 'failed', reply.text);
      return outcome !== 'refused';
    });
  const columns = { writer: 'text', key: 'text', version: 'int', content: 'text' };
  const primaryKey = { partitionBy: ['writer'], partitionSort: { key: 1 } };
  await create(keyspace, {
    createTable: { name: 'kept_rows', definition: { columns, primaryKey } },
  });
  await create(rowsPath, {
    createIndex: { name: 'kept_versions', definition: { column: 'version' } },
  });
  // Texts of more than 8000 bytes cannot be indexed.
  const options = { vector: { dimension: 2, metric: 'cosine' }, indexing: { deny: ['content'] } };
  await create(keyspace, { createCollection: { name: 'kept_documents', options } });
}

/**
 * Writes until `stop` or until the connections are lost. The names of its writers begin with `name`. What a server
 * refuses because it may not write now is sent again.
 */
export class RecordedLoad {
  readonly writers: readonly RecordedWriter[];
  /** How many commands were refused, and how many are stored by the server, and may be lost. */
  readonly counts = { refused: 0, uncertain: 0 };
  readonly #client: DataClient;
  readonly #random: SeededRandom;
  /** Whether what is sent over a connection that is lost was surely not made. */
  #isOnlyRefused: boolean;
  readonly #ended: Promise<unknown>;
  #isStopping = false;

  /** `patience`: a server that is promoted closes its connections, and has accepted nothing until then. */
  constructor(
    client: DataClient,
    name: string,
    random: SeededRandom,
    patience: 'none' | 'untilAcknowledged' = 'none',
  ) {
    this.#client = client;
    this.#random = random;
    this.#isOnlyRefused = patience === 'untilAcknowledged';
    this.writers = kinds.map((kind, at) => ({ name: `${name}_${at}`, kind, changes: [] }));
    this.#ended = Promise.all(this.writers.map((writer) => this.#run(writer)));
    this.#ended.catch(() => {}); // `ended` reports it
  }

  /** Resolves when no writer writes any more. Rejects if a reply had an error. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** Lets each writer end its present command. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#ended;
  }

  async #run(writer: RecordedWriter): Promise<void> {
    const versions = new Map<string, number>();
    for (let made = 0; !this.#isStopping; made += mostPerCommand) {
      const isAcknowledged =
        writer.kind === 'tables'
          ? await this.#changeTable(writer, versions, made)
          : await this.#change(writer, versions, made);
      if (!isAcknowledged) return;
      if (writer.kind === 'tables') await sleep(restOfTablesMs);
    }
  }

  async #changeTable(writer: RecordedWriter, versions: Map<string, number>, made: number): Promise<boolean> {
    const old = [...versions.keys()].at(0);
    if (old !== undefined && this.#random.oneIn(2)) {
      versions.delete(old);
      return this.#send(writer, keyspace, { dropTable: { name: old } }, [[old, undefined]]);
    }
    const name = `${writer.name}_${made}`;
    versions.set(name, 1);
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    return this.#send(writer, keyspace, { createTable: { name, definition } }, [[name, 'table']]);
  }

  #change(writer: RecordedWriter, versions: Map<string, number>, made: number): Promise<boolean> {
    const isFull = versions.size >= mostKeys;
    if (!isFull && (versions.size === 0 || this.#random.oneIn(2)))
      return this.#insert(writer, versions, made);
    const keys = [...versions.keys()];
    if (isFull || this.#random.oneIn(5)) return this.#remove(writer, versions, this.#random.pick(keys));
    const key = this.#random.pick(keys);
    const next = (versions.get(key) ?? 0) + 1;
    versions.set(key, next);
    const content = this.#content();
    const filter = filterOf(writer, key);
    const command = { updateOne: { filter, update: { $set: { version: next, content } } } };
    return this.#send(writer, pathOf(writer), command, [[key, storedText(next, content)]]);
  }

  /** The rows of one command are one change; the documents of one are not. */
  #insert(writer: RecordedWriter, versions: Map<string, number>, made: number): Promise<boolean> {
    const count = writer.kind === 'rows' && this.#random.oneIn(3) ? mostPerCommand : 1;
    const inserted = Array.from({ length: count }, (_, at) => {
      const [key, content] = [String(made + at).padStart(9, '0'), this.#content()];
      versions.set(key, 1);
      return { key, content };
    });
    const documents = inserted.map(({ key, content }) =>
      writer.kind === 'rows'
        ? { writer: writer.name, key, version: 1, content }
        : {
            ...{ _id: idOf(writer, key), writer: writer.name, key, version: 1, content },
            ...{ inner: { list: [made, content.length] }, $vector: [1, made + 1] },
          },
    );
    const command = { insertMany: { documents, options: { ordered: true } } };
    const changed = inserted.map(({ key, content }) => [key, storedText(1, content)] as const);
    return this.#send(writer, pathOf(writer), command, changed);
  }

  #remove(writer: RecordedWriter, versions: Map<string, number>, key: string): Promise<boolean> {
    versions.delete(key);
    const command = { deleteOne: { filter: filterOf(writer, key) } };
    return this.#send(writer, pathOf(writer), command, [[key, undefined]]);
  }

  /** Some rows are larger than a page. */
  #content(): string {
    return 'é'.repeat(this.#random.below(this.#random.oneIn(10) ? 6_000 : 300));
  }

  /** False if the writer cannot continue: whether its last change is made is unknown then. */
  async #send(
    { changes, name }: RecordedWriter,
    path: string,
    command: object,
    values: Change['values'],
  ): Promise<boolean> {
    const change: Change = { sentMs: Date.now(), acknowledgedMs: undefined, values };
    changes.push(change);
    for (;;) {
      change.sentMs = Date.now();
      const reply = await this.#client.send(path, command).catch(() => undefined);
      const outcome = reply === undefined && this.#isOnlyRefused ? 'refused' : outcomeOf(reply);
      if (outcome === 'refused') {
        this.counts.refused += 1;
        if (!this.#isStopping) {
          await sleep(restOfRefusedMs);
          continue;
        }
        changes.pop(); // it was not made
        return false;
      }
      if (outcome === 'lost') return false;
      if (outcome === 'uncertain') this.counts.uncertain += 1;
      else {
        assert.equal(outcome, 'acknowledged', `${name}: ${reply?.text.slice(0, 500)}`);
        this.#isOnlyRefused = false;
        change.acknowledgedMs = Date.now();
      }
      return true;
    }
  }
}

type Outcome = 'acknowledged' | 'refused' | 'uncertain' | 'lost' | 'failed';

/** `uncertain`: the server has the change, and the archive may not. */
function outcomeOf(reply: DataReply | undefined): Outcome {
  if (reply === undefined) return 'lost';
  const { errors } = reply.body;
  if (errors === undefined) return reply.httpStatus === 200 ? 'acknowledged' : 'failed';
  const [{ errorCode, message } = { errorCode: '', message: '' }] = errors;
  if (errorCode === 'READ_ONLY_SERVER') return 'refused';
  return errorCode === 'TIMEOUT_WRITING_DATA' && message.includes('it is stored by this server')
    ? 'uncertain'
    : 'failed';
}

/** What a server has of a writer, by key. */
export async function readWriter(client: DataClient, writer: RecordedWriter): Promise<Map<string, string>> {
  if (writer.kind === 'tables') {
    const { status } = await client.mustSend(keyspace, { listTables: {} });
    const names = (status?.['tables'] ?? []) as readonly string[]; // the reply of listTables
    return new Map(names.filter((name) => name.startsWith(`${writer.name}_`)).map((name) => [name, 'table']));
  }
  const rows: readonly RowBody[] = await client.readAll(pathOf(writer), { writer: writer.name });
  const found = new Map(rows.map((row) => [String(row['key']), storedText(row['version'], row['content'])]));
  assert.equal(found.size, rows.length, `${writer.name}: a key is there twice`);
  return found;
}

function pathOf({ kind }: RecordedWriter): string {
  return kind === 'rows' ? rowsPath : documentsPath;
}

function filterOf(writer: RecordedWriter, key: string): object {
  return writer.kind === 'rows' ? { writer: writer.name, key } : { _id: idOf(writer, key) };
}

function idOf({ name }: RecordedWriter, key: string): string {
  return `${name}-${key}`;
}

function storedText(version: unknown, content: unknown): string {
  return `${version}: ${content}`;
}
