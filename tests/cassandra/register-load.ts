// Clients that read, write and delete rows through several servers, and note every call for the check of its history.
import { setTimeout as sleep } from 'node:timers/promises';
import { DataClient, type DataReply, type RowBody } from '../faults/data-client.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import type { RegisterCall, SeenValue } from './register-history.js';

/** How a load runs. */
export interface LoadOptions {
  readonly seed: number;
  /** The addresses of the servers. */
  readonly urls: readonly string[];
  readonly clientsPerServer: number;
  /** A client rests between two calls for less than this. */
  readonly mostRestMs: number;
}

/** The keyspace and the table of a load. */
export const registerTable = {
  keyspace: 'registers',
  name: 'rows',
  definition: { columns: { id: 'text', value: 'text', copy: 'text' }, primaryKey: 'id' },
} as const;

/** A write that fails so may have been carried out. */
const unknownOutcome = 'TIMEOUT_WRITING_DATA';
const withoutEffect = ['FAILED_TO_CONNECT_TO_DATABASE', 'UNAVAILABLE_DATABASE', 'TIMEOUT_READING_DATA'];

const keysAtATime = 8;
/** Calls of a key until another one takes its place: the check compares all values of a key with each other. */
const callsOfKey = 120;
const path = `/${registerTable.keyspace}/${registerTable.name}`;

interface Key {
  readonly name: string;
  calls: number;
  isDeleted: boolean;
}

/** A load from its start until it is stopped. */
export class RegisterLoad {
  readonly calls: RegisterCall[] = [];
  /** Error codes of the contract with their counts. */
  readonly failures = new Map<string, number>();
  /** Failures that no reply of the contract explains. */
  readonly unexpected: string[] = [];
  /** Calls that were answered without an error, in all and since the last failure. */
  answered = 0;
  inARow = 0;
  readonly #options: LoadOptions;
  readonly #clients: readonly DataClient[];
  readonly #keys: Key[] = [];
  readonly #names: string[] = [];
  #written = 0;
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#clients = options.urls.map((url) => new DataClient(url, options.clientsPerServer));
  }

  start(): void {
    const { clientsPerServer, seed } = this.#options;
    this.#running = Promise.all(
      this.#clients.flatMap((client, server) =>
        Array.from({ length: clientsPerServer }, (_, at) =>
          this.#callOn(client, `client ${at} of server ${server}`, seededRandom(seed + 1000 * server + at)),
        ),
      ),
    );
  }

  /** Ends the load; every call under way is answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Reads every key that was ever written, through each server. */
  async readAll(): Promise<void> {
    for (const [server, client] of this.#clients.entries())
      for (const name of this.#names) await this.#read(client, `the end, server ${server}`, name);
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  async #callOn(client: DataClient, caller: string, random: SeededRandom): Promise<void> {
    while (!this.#isStopped) {
      const key = await this.#pickKey(client, caller, random);
      if (key !== undefined) await this.#call(client, caller, key, random);
      await sleep(random.below(this.#options.mostRestMs));
    }
  }

  /** A key that is in use; undefined where a new one could not be written. */
  async #pickKey(client: DataClient, caller: string, random: SeededRandom): Promise<Key | undefined> {
    const key = this.#keys.length < keysAtATime ? undefined : random.pick(this.#keys);
    if (key !== undefined && key.calls < callsOfKey) return key;
    if (key !== undefined) this.#keys.splice(this.#keys.indexOf(key), 1);
    // Used from its first acknowledged write on: before that there is no row, which would look as if it was deleted.
    const made = { name: `k${this.#names.length}`, calls: 0, isDeleted: false };
    this.#names.push(made.name);
    if (await this.#insert(client, caller, made.name)) this.#keys.push(made);
    return undefined;
  }

  async #call(client: DataClient, caller: string, key: Key, random: SeededRandom): Promise<void> {
    key.calls += 1;
    const chance = random.below(100);
    if (chance < 45) await this.#read(client, caller, key.name);
    else if (chance < 55) await this.#readSome(client, caller, random.some(this.#keys, 3));
    else if (chance < 78) await this.#update(client, caller, key.name);
    else if (chance < 97 || key.isDeleted) await this.#insert(client, caller, key.name);
    else {
      key.isDeleted = true;
      await this.#delete(client, caller, key.name);
    }
  }

  #insert(client: DataClient, caller: string, key: string): Promise<boolean> {
    const value = this.#newValue();
    const document = { id: key, value, copy: value };
    return this.#write(client, { insertOne: { document } }, { key, value, caller });
  }

  #update(client: DataClient, caller: string, key: string): Promise<boolean> {
    const value = this.#newValue();
    const update = { $set: { value, copy: value } };
    return this.#write(client, { updateOne: { filter: { id: key }, update } }, { key, value, caller });
  }

  #delete(client: DataClient, caller: string, key: string): Promise<boolean> {
    return this.#write(client, { deleteOne: { filter: { id: key } } }, { key, value: null, caller });
  }

  async #write(
    client: DataClient,
    command: object,
    call: Pick<RegisterCall, 'key' | 'value' | 'caller'>,
  ): Promise<boolean> {
    const startMs = performance.now();
    const reply = await this.#send(client, command);
    if (reply === undefined) return false;
    const isKnown = reply !== 'unknown';
    const endMs = isKnown ? performance.now() : Number.POSITIVE_INFINITY;
    this.calls.push({ ...call, kind: 'write', startMs, endMs });
    return isKnown;
  }

  async #read(client: DataClient, caller: string, key: string): Promise<void> {
    const startMs = performance.now();
    const reply = await this.#send(client, { findOne: { filter: { id: key } } });
    if (reply === undefined || reply === 'unknown') return;
    const { document = null } = reply.body.data ?? {};
    this.#noteRead({ key, caller, startMs, endMs: performance.now() }, document);
  }

  async #readSome(client: DataClient, caller: string, keys: readonly Key[]): Promise<void> {
    const startMs = performance.now();
    const names = keys.map(({ name }) => name);
    const reply = await this.#send(client, { find: { filter: { id: { $in: names } } } });
    if (reply === undefined || reply === 'unknown') return;
    const endMs = performance.now();
    const rows = new Map(reply.body.data?.documents?.map((row) => [row['id'], row]));
    for (const key of names)
      this.#noteRead({ key, caller: `${caller}, some`, startMs, endMs }, rows.get(key) ?? null);
  }

  #noteRead(call: Omit<RegisterCall, 'kind' | 'value'>, row: RowBody | null): void {
    this.calls.push({ ...call, kind: 'read', value: seenIn(row) });
  }

  /** The reply; 'unknown' for a write that may have been carried out, undefined for a call without effect. */
  async #send(client: DataClient, command: object): Promise<DataReply | 'unknown' | undefined> {
    try {
      const reply = await client.send(path, command);
      const code = reply.body.errors?.[0]?.errorCode;
      if (reply.httpStatus === 200 && code === undefined) {
        this.answered += 1;
        this.inARow += 1;
        return reply;
      }
      return this.#noteFailure(command, code ?? `HTTP ${reply.httpStatus}`, reply.text);
    } catch (error) {
      return this.#noteFailure(command, 'no reply', String(error));
    }
  }

  #noteFailure(command: object, code: string, text: string): 'unknown' | undefined {
    this.inARow = 0;
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
    if (withoutEffect.includes(code)) return undefined;
    if (code !== unknownOutcome)
      this.unexpected.push(`${JSON.stringify(command)}: ${code} ${text.slice(0, 500)}`);
    return 'unknown';
  }

  #newValue(): string {
    this.#written += 1;
    return `v${this.#written}`;
  }
}

/** Both columns are always written together: a row that differs in them was never written. */
function seenIn(row: RowBody | null): SeenValue {
  if (row === null) return null;
  const [value, copy] = [String(row['value']), String(row['copy'])];
  return value === copy ? value : `${value} beside ${copy}`;
}
