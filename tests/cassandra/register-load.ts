// Clients that read, write and delete rows through several servers, and note every call for the check of its history.
import type { DataClient, RowBody } from '../faults/data-client.js';
import type { SeededRandom } from '../seeded-random.js';
import { ClientLoad } from './client-load.js';
import type { RegisterCall, SeenValue } from './register-history.js';

/** The keyspace and the table of a load. */
export const registerTable = {
  keyspace: 'registers',
  name: 'rows',
  definition: { columns: { id: 'text', value: 'text', copy: 'text' }, primaryKey: 'id' },
} as const;

const keysAtATime = 8;
/** Calls of a key until another one takes its place: the check compares all values of a key with each other. */
const callsOfKey = 120;
const path = `/${registerTable.keyspace}/${registerTable.name}`;

interface Key {
  readonly name: string;
  calls: number;
  isDeleted: boolean;
}

/** Clients that read, write and delete rows, with a note of every call. */
export class RegisterLoad extends ClientLoad {
  readonly calls: RegisterCall[] = [];
  readonly #keys: Key[] = [];
  readonly #names: string[] = [];
  #written = 0;

  /** Reads every key that was ever written, through each server. */
  async readAll(): Promise<void> {
    for (const [server, client] of this.clients.entries())
      for (const name of this.#names) await this.#read(client, `the end, server ${server}`, name);
  }

  /** What a filter on the copies finds otherwise than a comparison of all rows, in words. */
  async compareIndex(): Promise<readonly string[]> {
    const [client] = this.clients;
    if (client === undefined) return [];
    const all = await client.readAll(path);
    const wrong: string[] = [];
    for (const { id, copy } of all) {
      const found = (await client.readAll(path, { copy })).map((row) => row['id']);
      if (found.length !== 1 || found[0] !== id) wrong.push(`${copy} of ${id} finds ${found.join()}`);
    }
    return wrong;
  }

  protected override async callOnce(client: DataClient, caller: string, random: SeededRandom): Promise<void> {
    const key = await this.#pickKey(client, caller, random);
    if (key !== undefined) await this.#call(client, caller, key, random);
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
    const reply = await this.send(client, path, command);
    if (reply === undefined) return false;
    const isKnown = reply !== 'unknown';
    const endMs = isKnown ? performance.now() : Number.POSITIVE_INFINITY;
    this.calls.push({ ...call, kind: 'write', startMs, endMs });
    return isKnown;
  }

  async #read(client: DataClient, caller: string, key: string): Promise<void> {
    const startMs = performance.now();
    const reply = await this.send(client, path, { findOne: { filter: { id: key } } });
    if (reply === undefined || reply === 'unknown') return;
    const { document = null } = reply.body.data ?? {};
    this.#noteRead({ key, caller, startMs, endMs: performance.now() }, document);
  }

  async #readSome(client: DataClient, caller: string, keys: readonly Key[]): Promise<void> {
    const startMs = performance.now();
    const names = keys.map(({ name }) => name);
    const reply = await this.send(client, path, { find: { filter: { id: { $in: names } } } });
    if (reply === undefined || reply === 'unknown') return;
    const endMs = performance.now();
    const rows = new Map(reply.body.data?.documents?.map((row) => [row['id'], row]));
    for (const key of names)
      this.#noteRead({ key, caller: `${caller}, some`, startMs, endMs }, rows.get(key) ?? null);
  }

  #noteRead(call: Omit<RegisterCall, 'kind' | 'value'>, row: RowBody | null): void {
    this.calls.push({ ...call, kind: 'read', value: seenIn(row) });
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
