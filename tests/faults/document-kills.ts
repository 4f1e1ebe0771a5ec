// Rounds of: change documents of a collection, kill -9, compare what is there, by filters on all paths and by `repair`.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { storedForm, testOf, textOf, updatedForm } from '../documents/document-meaning.js';
import { RandomClauses } from '../documents/random-documents.js';
import { parseObject } from '../documents/routes-of-scenario.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { checkDataFile } from './check-data-file.js';
import { type DataClient, withDataClient } from './data-client.js';
import { FirstEvent } from './first-event.js';
import { type InProcessServer, startInProcess } from './in-process-server.js';

const keyspace = '/default_keyspace';
const path = `${keyspace}/kept_documents`;
const writerCount = 5;
/** One page of updateMany changes all documents of a writer. */
const mostDocuments = 45;
const documentsPerBatch = 10;
const filtersPerRound = 60;
const limits = { maxDepth: 100, maxNumberLength: 1_000 };

/** What is known of a document: as it was acknowledged last, and the change under way. Undefined: there is none. */
interface Known {
  acknowledged: JsonObject | undefined;
  underWay?: { readonly after: JsonObject | undefined };
}

/** By the text of the id. */
type Documents = Map<string, Known>;

/** Fails when an acknowledged change is lost, or found by a filter otherwise than it is. Returns their number. */
export async function runDocumentKills(rounds: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const dataDir = makeTemporaryDirectory();
  const writers = Array.from({ length: writerCount }, (): Documents => new Map());
  let acknowledged = 0;
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer({ dataDir });
    try {
      if (round === 0)
        await withDataClient(server, (client) =>
          client.mustSend(keyspace, {
            createCollection: {
              name: 'kept_documents',
              options: { vector: { dimension: 2, metric: 'euclidean' } },
            },
          }),
        );
      acknowledged += await changeUntilKilled(server, writers, round, random);
    } finally {
      server.signal('SIGKILL'); // a failed check must not leave it behind
    }
    const stored = await startInProcess(dataDir);
    try {
      await checkStored(stored, writers, random, `seed ${seed}, round ${round}`);
    } finally {
      await stored.close();
    }
  }
  checkDataFile(dataDir);
  return acknowledged;
}

function changeUntilKilled(
  server: RunningServer,
  writers: readonly Documents[],
  round: number,
  random: SeededRandom,
): Promise<number> {
  return withDataClient(server, async (client) => {
    const loads = writers.map(
      (documents, writer) => new WriterLoad(client, documents, `${round}-${writer}`, writer, random),
    );
    // On a busy machine the first change may take longer than the time until the kill.
    const killed = Promise.race(loads.map(({ first }) => first.happened))
      .then(() => sleep(random.below(500)))
      .then(() => server.signal('SIGKILL'));
    const counts = await Promise.all(loads.map((load) => load.run()));
    await Promise.all([killed, server.ended]);
    return counts.reduce((sum, count) => sum + count, 0);
  });
}

/** Changes its own documents, one command after another. */
class WriterLoad {
  readonly #client: DataClient;
  readonly #documents: Documents;
  readonly #prefix: string;
  readonly #writer: number;
  readonly #random: SeededRandom;
  readonly #clauses: RandomClauses;
  #made = 0;
  /** A command was acknowledged, or the connection is lost. */
  readonly first = new FirstEvent();

  constructor(
    client: DataClient,
    documents: Documents,
    prefix: string,
    writer: number,
    random: SeededRandom,
  ) {
    this.#client = client;
    this.#documents = documents;
    this.#prefix = prefix;
    this.#writer = writer;
    this.#random = random;
    this.#clauses = new RandomClauses(random, { hasVector: true, indexing: undefined });
  }

  /** Until the connection is lost; the number of acknowledged commands. */
  async run(): Promise<number> {
    for (let count = 0; ; count += 1) {
      const isAcknowledged = await this.#change();
      this.first.note();
      if (!isAcknowledged) return count;
    }
  }

  #change(): Promise<boolean> {
    const present = [...this.#documents].flatMap(([id, { acknowledged }]) =>
      acknowledged === undefined ? [] : [[id, acknowledged] as const],
    );
    if (present.length > mostDocuments - documentsPerBatch) return this.#deleteSome(present);
    if (present.length === 0 || this.#random.oneIn(4)) return this.#insert();
    if (this.#random.oneIn(8)) return this.#updateAll(present);
    return this.#changeOne(...this.#random.pick(present));
  }

  async #send(
    command: JsonText,
    changes: readonly (readonly [string, JsonObject | undefined])[],
  ): Promise<boolean> {
    for (const [id, after] of changes) {
      const known = this.#documents.get(id) ?? { acknowledged: undefined };
      this.#documents.set(id, { ...known, underWay: { after } });
    }
    const reply = await this.#client.send(path, command).catch(() => undefined);
    if (reply === undefined) return false;
    assert.equal(reply.body.errors, undefined, `${command}\n${reply.text}`);
    for (const [id, acknowledged] of changes) this.#documents.set(id, { acknowledged });
    return true;
  }

  #insert(): Promise<boolean> {
    const count = this.#random.oneIn(3) ? documentsPerBatch : 1;
    const documents = Array.from({ length: count }, () => this.#document(this.#newId()));
    const changes = documents.map((document) => [String(document.get('_id')), document] as const);
    const texts = documents.map(stringifyJson);
    return count === 1
      ? this.#send(`{"insertOne":{"document":${texts[0]}}}`, changes)
      : this.#send(`{"insertMany":{"documents":[${texts.join(',')}]}}`, changes);
  }

  #newId(): string {
    this.#made += 1;
    return `${this.#prefix}-${this.#made}`;
  }

  /** A valid document of this writer. */
  #document(id: string): JsonObject {
    for (;;) {
      const json = parseJson(this.#clauses.document(), limits);
      if (!(json instanceof Map)) continue;
      const own = [...json].filter(([name]) => name !== '_id') as [string, JsonValue][];
      const document = new Map<string, JsonValue>([['_id', id], ['writer', String(this.#writer)], ...own]);
      const stored = storedForm(document);
      if (stored !== undefined) return stored;
    }
  }

  #changeOne(id: string, before: JsonObject): Promise<boolean> {
    const filter = JSON.stringify({ _id: id });
    if (this.#random.oneIn(6)) return this.#send(`{"deleteOne":{"filter":${filter}}}`, [[id, undefined]]);
    if (this.#random.oneIn(5)) {
      const after = this.#document(id);
      const replacement = stringifyJson(after);
      return this.#send(`{"findOneAndReplace":{"filter":${filter},"replacement":${replacement}}}`, [
        [id, after],
      ]);
    }
    for (;;) {
      const update = this.#clauses.update();
      const after = updatedForm(before, update);
      if (after === undefined) continue;
      return this.#send(`{"updateOne":{"filter":${filter},"update":${update}}}`, [[id, after]]);
    }
  }

  #updateAll(present: readonly (readonly [string, JsonObject])[]): Promise<boolean> {
    const update = '{"$inc":{"count":1},"$set":{"o":{"p":1}}}';
    const changes = present.map(([id, before]) => [id, updatedForm(before, update)] as const);
    return this.#send(`{"updateMany":{"filter":{"writer":"${this.#writer}"},"update":${update}}}`, changes);
  }

  #deleteSome(present: readonly (readonly [string, JsonObject])[]): Promise<boolean> {
    const some = this.#random.some(present, 20).map(([id]) => id);
    const filter = JSON.stringify({ _id: { $in: some } });
    return this.#send(
      `{"deleteMany":{"filter":${filter}}}`,
      some.map((id) => [id, undefined] as const),
    );
  }
}

/** Takes what is stored as acknowledged. */
async function checkStored(
  { client, engine }: InProcessServer,
  writers: readonly Documents[],
  random: SeededRandom,
  at: string,
): Promise<void> {
  const all = await readDocuments(client, '{}');
  for (const documents of writers) expectPossible(documents, all, at);
  const known = writers.reduce((sum, documents) => sum + documents.size, 0);
  assert.equal(all.size, known, `${at}: documents that nobody wrote`);
  const clauses = new RandomClauses(random, { hasVector: true, indexing: undefined });
  for (let count = 0; count < filtersPerRound; ) {
    const filter = clauses.filter();
    const expected = matchingIds(all, filter);
    if (expected === undefined) continue;
    const found = await readDocuments(client, filter);
    assert.deepEqual([...found.keys()].sort(), expected, `${at}: ${filter}`);
    count += 1;
  }
  const request = { action: 'repair', keyspace: 'default_keyspace', tables: ['kept_documents'] } as const;
  const report = await engine.maintain?.(request, new AbortController().signal);
  // Vector indexes are always rebuilt.
  const detail = report?.detail.replace(/; rebuilt: the vector index [^,;]*$/, '');
  assert.equal(detail, `1 tables with ${all.size} rows checked`, at);
}

function matchingIds(all: ReadonlyMap<string, JsonObject>, filter: JsonText): readonly string[] | undefined {
  const test = testOf(filter);
  return test && [...all].flatMap(([id, document]) => (test(document) ? [id] : [])).sort();
}

async function readDocuments(client: DataClient, filter: JsonText): Promise<ReadonlyMap<string, JsonObject>> {
  const documents = new Map<string, JsonObject>();
  let pageState: string | null = null;
  do {
    const options = JSON.stringify({ pageState });
    const body = `{"find":{"filter":${filter},"projection":{"*":1},"options":${options}}}`;
    const { text, body: reply } = await client.send(path, body);
    assert.equal(reply.errors, undefined, `${filter}\n${text}`);
    const json = parseObject(text);
    const data = json.get('data') as JsonObject; // a reply without errors has it
    for (const document of data.get('documents') as readonly JsonObject[])
      documents.set(String(document.get('_id')), document);
    pageState = reply.data?.nextPageState ?? null;
  } while (pageState !== null);
  return documents;
}

/** Each document must be as it was acknowledged last, or as the change under way makes it. */
function expectPossible(documents: Documents, all: ReadonlyMap<string, JsonObject>, at: string): void {
  const shown = (document: JsonObject | undefined) => (document === undefined ? 'none' : textOf(document));
  for (const [id, { acknowledged, underWay }] of documents) {
    const found = all.get(id);
    const possible = [acknowledged, ...(underWay === undefined ? [] : [underWay.after])].map(shown);
    assert.ok(
      possible.includes(shown(found)),
      `${at}: ${shown(found)}\nis not one of\n${possible.join('\n')}`,
    );
    if (found === undefined) documents.delete(id);
    else documents.set(id, { acknowledged: found });
  }
}
