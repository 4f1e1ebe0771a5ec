// Clients that change, delete and find documents through several servers, and note every call for the check.
import { isDeepStrictEqual } from 'node:util';
import { waitFor } from '../../acceptance/ops-client.js';
import type { RunningServer } from '../../acceptance/start-server.js';
import { type DataClient, type DataReply, type RowBody, withDataClient } from '../../faults/data-client.js';
import type { SeededRandom } from '../../seeded-random.js';
import { ClientLoad } from '../client-load.js';
import { untilAccepted, untilKnown } from '../cluster-servers.js';
import type { RegisterCall } from '../register-history.js';
import type { ComparedChange, DocumentNotes, Observation, SentMark } from './document-history.js';

/** The keyspace and the collection of a load. */
export const changedCollection = { keyspace: 'histories', name: 'documents' } as const;

const path = `/${changedCollection.keyspace}/${changedCollection.name}`;
const tagCount = 12;
const numberCount = 1_000;
const rangeSize = 100;
/** Documents that nobody changes: each mark of them is that of two. */
const stillCount = 40;
/** How many documents of a kind are used at a time, and the calls of each until another one takes its place. */
const kinds = {
  marked: { atATime: 12, calls: 300 },
  compared: { atATime: 6, calls: 120 },
  passing: { atATime: 6, calls: 120 },
} as const;
type Kind = keyof typeof kinds;

interface UsedDocument {
  readonly id: string;
  calls: number;
  /** The value that a client met last; undefined before. */
  seen: string | undefined;
}

/** Makes the collection with three replicas, and waits until every server knows it. */
export async function createChangedCollection(servers: readonly RunningServer[]): Promise<void> {
  const { keyspace, name } = changedCollection;
  const replication = { class: 'NetworkTopologyStrategy', datacenter1: 3 };
  const [first] = servers;
  if (first === undefined) throw new Error('there is no server');
  await withDataClient(first, async (client) => {
    await untilAccepted(client, '', { createKeyspace: { name: keyspace, options: { replication } } });
    await untilAccepted(client, `/${keyspace}`, { createCollection: { name } });
  });
  for (const server of servers) await untilKnown(server, path);
}

/** A call of one document, from its beginning. */
interface BegunCall {
  readonly key: string;
  readonly caller: string;
  readonly startMs: number;
}

/** More wrong replies are left out. */
const mostWrong = 100;

const tagOf = (number: number) => `tag ${number}`;

/** Clients that change documents; `notes` are for the check. */
export class DocumentLoad extends ClientLoad implements DocumentNotes {
  readonly marks = new Map<string, SentMark>();
  readonly calls: RegisterCall[] = [];
  readonly observations: Observation[] = [];
  readonly changes: ComparedChange[] = [];
  /** Replies that are wrong whatever others do at the same time, in words. */
  readonly wrong: string[] = [];
  readonly #used: Record<Kind, UsedDocument[]> = { marked: [], compared: [], passing: [] };
  readonly #ids: string[] = [];
  #written = 0;

  /** Inserts the documents that stay as they are. */
  async prepare(): Promise<void> {
    const documents = Array.from({ length: stillCount }, (_, at) => ({
      _id: `still ${at}`,
      still: Math.floor(at / 2),
    }));
    const [client] = this.clients;
    if (client === undefined) return;
    for (const { _id, still } of documents)
      await untilAccepted(client, path, {
        updateOne: { filter: { _id }, update: { $set: { still } }, options: { upsert: true } },
      });
  }

  /** Reads each document whose values are noted through each server; resolves to all documents. */
  async readAll(): Promise<readonly RowBody[]> {
    for (const [server, client] of this.clients.entries())
      for (const id of this.#ids)
        await this.#read(client, `the end, server ${server}`, { id, calls: 0, seen: undefined });
    return this.#findAll({});
  }

  /** Notes filters that find other documents by their indexes than a comparison of all. */
  async compareIndexes(all: readonly RowBody[]): Promise<void> {
    const compare = async (filter: object, matches: (document: RowBody) => boolean) => {
      const found = await this.#findAll(filter);
      const [ids, expected] = [found, all.filter(matches)].map((each) =>
        each.map(({ _id }) => String(_id)).sort(),
      );
      if (!isDeepStrictEqual(ids, expected))
        this.#noteWrong(`${JSON.stringify(filter)} finds ${ids?.join()} instead of ${expected?.join()}`);
    };
    for (let at = 0; at < tagCount; at += 1)
      await compare({ tag: tagOf(at) }, ({ tag }) => tag === tagOf(at));
    for (let from = 0; from < numberCount; from += rangeSize)
      await compare({ number: { $gte: from, $lt: from + rangeSize } }, (document) =>
        isInRange(document, from),
      );
    for (let at = 0; at < stillCount / 2; at += 1) await compare({ still: at }, ({ still }) => still === at);
  }

  #findAll(filter: object): Promise<readonly RowBody[]> {
    return waitFor(
      `all documents of ${JSON.stringify(filter)}`,
      () => this.clients[0]?.readAll(path, filter).catch(() => undefined) ?? Promise.resolve([]),
    );
  }

  protected override async callOnce(client: DataClient, caller: string, random: SeededRandom): Promise<void> {
    const chance = random.below(100);
    if (chance < 30) await this.#mark(client, caller, random);
    else if (chance < 42) await this.#find(client, random);
    else if (chance < 72) await this.#compare(client, caller, random);
    else await this.#pass(client, caller, random);
  }

  async #mark(client: DataClient, caller: string, random: SeededRandom): Promise<void> {
    const document = this.#use('marked', random);
    const mark = this.#newValue();
    const set = { tag: tagOf(random.below(tagCount)), number: random.below(numberCount) };
    const update = { $inc: { count: 1 }, $push: { marks: mark }, $set: set };
    const command = { updateOne: { filter: { _id: document.id }, update, options: { upsert: true } } };
    const reply = await this.send(client, path, command);
    const outcome = reply === undefined ? 'refused' : reply === 'unknown' ? 'unknown' : 'stored';
    this.marks.set(mark, { document: document.id, outcome });
    if (outcome === 'stored' && typeof reply === 'object') {
      const { modifiedCount, upsertedId } = reply.body.status ?? {};
      if (modifiedCount !== 1 && upsertedId !== document.id)
        this.#noteWrong(`${caller}: ${mark} got ${reply.text}`);
    }
  }

  async #find(client: DataClient, random: SeededRandom): Promise<void> {
    const tags = [random.below(tagCount), random.below(tagCount)].map(tagOf);
    const from = random.below(numberCount);
    const still = random.below(stillCount / 2);
    const finds: readonly (readonly [object, (found: readonly RowBody[]) => boolean])[] = [
      [{ tag: { $in: tags } }, (found) => found.every(({ tag }) => tags.includes(String(tag)))],
      [
        { number: { $gte: from, $lt: from + rangeSize } },
        (found) => found.every((each) => isInRange(each, from)),
      ],
      [{ still }, (found) => found.length === 2 && found.every((each) => each['still'] === still)],
    ];
    const [filter, isRight] = random.pick(finds);
    const reply = await this.send(client, path, { find: { filter } });
    if (typeof reply !== 'object') return;
    if (!isRight(reply.body.data?.documents ?? []))
      this.#noteWrong(`${JSON.stringify(filter)} got ${reply.text}`);
  }

  /** Reads a document, or gives it a new value if it has the one that was met last. */
  async #compare(client: DataClient, caller: string, random: SeededRandom): Promise<void> {
    const document = this.#use('compared', random);
    if (document.seen === undefined) return this.#insert(client, caller, document);
    if (random.oneIn(3)) return this.#read(client, caller, document);
    const [former, value] = [document.seen, this.#newValue()];
    const call = this.#begin(document, caller);
    const filter = { _id: document.id, value: former };
    const options = { returnDocument: 'after' };
    const reply = await this.send(client, path, {
      findOneAndUpdate: { filter, update: { $set: { value } }, options },
    });
    if (reply === undefined) return;
    this.changes.push({ key: document.id, former, value });
    if (reply === 'unknown') return this.#noteCall(call, 'write', value, Infinity);
    const found = valueIn(reply);
    if (found === null) return this.#observe(call, 'lack', former);
    if (found !== value) this.#noteWrong(`${caller}: ${value} in ${document.id} got ${reply.text}`);
    this.#noteCall(call, 'read', former);
    this.#noteCall(call, 'write', value);
    document.seen = value;
  }

  /** Inserts, deletes or reads a document that others insert and delete, too. */
  async #pass(client: DataClient, caller: string, random: SeededRandom): Promise<void> {
    const document = this.#use('passing', random);
    const chance = random.below(100);
    if (chance < 40 || document.seen === undefined) await this.#insert(client, caller, document);
    else if (chance < 60) await this.#takeOut(client, caller, document);
    else if (chance < 80) await this.#delete(client, caller, document, document.seen);
    else await this.#read(client, caller, document);
  }

  async #insert(client: DataClient, caller: string, document: UsedDocument): Promise<void> {
    const value = this.#newValue();
    const call = this.#begin(document, caller);
    const command = { insertOne: { document: { _id: document.id, value } } };
    const reply = await this.send(client, path, command, ['DOCUMENT_ALREADY_EXISTS']);
    if (reply === 'unknown') this.#noteCall(call, 'write', value, Infinity);
    if (typeof reply !== 'object') return;
    if (reply.body.errors !== undefined) return this.#observe(call, 'presence', null);
    this.#noteCall(call, 'write', value);
    document.seen = value;
  }

  async #takeOut(client: DataClient, caller: string, document: UsedDocument): Promise<void> {
    const call = this.#begin(document, caller);
    const reply = await this.send(client, path, { findOneAndDelete: { filter: { _id: document.id } } });
    if (typeof reply !== 'object') return;
    const value = valueIn(reply);
    if (value !== null) this.#noteCall(call, 'read', value);
    this.#observe(call, value === null ? 'absence' : 'end', value);
  }

  async #delete(client: DataClient, caller: string, document: UsedDocument, value: string): Promise<void> {
    const call = this.#begin(document, caller);
    const reply = await this.send(client, path, { deleteOne: { filter: { _id: document.id, value } } });
    if (typeof reply !== 'object') return;
    const isDeleted = reply.body.status?.['deletedCount'] === 1;
    if (isDeleted) this.#noteCall(call, 'read', value);
    this.#observe(call, isDeleted ? 'end' : 'lack', value);
  }

  async #read(client: DataClient, caller: string, document: UsedDocument): Promise<void> {
    const call = this.#begin(document, caller);
    const reply = await this.send(client, path, { findOne: { filter: { _id: document.id } } });
    if (typeof reply !== 'object') return;
    const value = valueIn(reply);
    if (value === null) return this.#observe(call, 'absence', null);
    this.#noteCall(call, 'read', value);
    document.seen = value;
  }

  #use(kind: Kind, random: SeededRandom): UsedDocument {
    const { atATime, calls } = kinds[kind];
    const used = this.#used[kind];
    const full = used.findIndex((each) => each.calls >= calls);
    if (full >= 0) used.splice(full, 1);
    if (used.length < atATime) {
      const made: UsedDocument = { id: `${kind} ${this.#newValue()}`, calls: 0, seen: undefined };
      used.push(made);
      if (kind !== 'marked') this.#ids.push(made.id);
    }
    const document = random.pick(used);
    document.calls += 1;
    return document;
  }

  #begin({ id }: UsedDocument, caller: string): BegunCall {
    return { key: id, caller, startMs: performance.now() };
  }

  #noteCall(call: BegunCall, kind: RegisterCall['kind'], value: string, endMs = performance.now()): void {
    this.calls.push({ ...call, kind, value, endMs });
  }

  #observe(call: BegunCall, kind: Observation['kind'], value: string | null): void {
    this.observations.push({ ...call, kind, value, endMs: performance.now() });
  }

  #noteWrong(text: string): void {
    if (this.wrong.length < mostWrong) this.wrong.push(text);
  }

  #newValue(): string {
    this.#written += 1;
    return `v${this.#written}`;
  }
}

/** The value of the document in a reply; null where there is none. */
function valueIn({ body }: DataReply): string | null {
  const document = body.data?.document ?? null;
  return document === null ? null : String(document['value']);
}

function isInRange({ number }: RowBody, from: number): boolean {
  return typeof number === 'number' && number >= from && number < from + rangeSize;
}
