// Sends commands of the whole grammar: whatever they say, the server answers, and only rows they name change.
import assert from 'node:assert/strict';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { isJsonObject, type JsonObject, stringifyJson } from '../../src/foundation/json/json-value.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { checkDataFile } from './check-data-file.js';
import { DataClient, type DataReply } from './data-client.js';
import { createFuzzTables, fillControl, readText } from './fuzz-rows.js';
import { extendedFuzzTables, type FuzzTable, fuzzTables } from './fuzz-tables.js';
import { RowWatch } from './row-watch.js';
import {
  type AddressedCommand,
  type CommandScope,
  keyOfCommand,
  makeScope,
  randomCommand,
} from './valid-commands.js';

/** How often a command was carried out and refused. */
export interface CommandCount {
  done: number;
  refused: number;
}

/** By `keyOfCommand`. */
export type CommandCounts = Map<string, CommandCount>;

/** Lanes run side by side, each in a keyspace of its own: alone, each command would wait for its own commit. */
const laneCount = 8;
const commandsBetweenChecks = 40;
const openPagesKept = 5;

/**
 * Fails on a status other than 200, an error of the family SERVER, a dead server, and a row that changed though no
 * command was sent for it.
 */
export async function sendGrammar(
  count: number,
  seed: number,
  dialect: Dialect = 'strict',
): Promise<CommandCounts> {
  const dataDir = makeTemporaryDirectory();
  const server = await startServer({ dataDir, args: ['--dialect', dialect] });
  const tables = dialect === 'strict' ? fuzzTables : extendedFuzzTables;
  const client = new DataClient(server.url, laneCount);
  try {
    const counts: CommandCounts = new Map();
    const control = await fillControl(client, '/default_keyspace');
    const before = await readText(client, control);
    const lanes = Array.from(
      { length: laneCount },
      (_, lane) => new Lane(client, server, seed, lane, tables, counts),
    );
    await Promise.all(lanes.map((lane) => lane.send(Math.ceil(count / laneCount))));
    assert.ok((await readText(client, control)) === before, `seed ${seed}: rows of another keyspace changed`);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    checkDataFile(dataDir);
    return counts;
  } finally {
    client.close();
    server.signal('SIGKILL'); // a failed check must not leave it behind
  }
}

/** One stream of commands, one after the other, with tables of its own. */
class Lane {
  readonly #client: DataClient;
  readonly #server: RunningServer;
  readonly #name: string;
  readonly #random: SeededRandom;
  readonly #scope: CommandScope;
  readonly #watches: ReadonlyMap<string, RowWatch>;
  readonly #counts: CommandCounts;
  readonly #tables: readonly FuzzTable[];
  /** Since the last check: what a failed one is about. */
  #recent: string[] = [];

  constructor(
    client: DataClient,
    server: RunningServer,
    seed: number,
    lane: number,
    tables: readonly FuzzTable[],
    counts: CommandCounts,
  ) {
    this.#tables = tables;
    this.#client = client;
    this.#server = server;
    this.#name = `seed ${seed}, lane ${lane}`;
    this.#random = seededRandom(seed + lane);
    this.#scope = makeScope(this.#random, `lane_${lane}`, tables);
    const path = `/${this.#scope.keyspace}`;
    this.#watches = new Map(
      tables.map((table) => [table.name, new RowWatch(client, `${path}/${table.name}`, table)]),
    );
    this.#counts = counts;
  }

  async send(count: number): Promise<void> {
    const { keyspace } = this.#scope;
    await this.#client.mustSend('', { createKeyspace: { name: keyspace } });
    for (let sent = 0; sent < count; sent += 1) {
      if (sent % commandsBetweenChecks === 0) await this.#check();
      await this.#sendOne(randomCommand(this.#random, this.#scope));
    }
    await this.#check();
  }

  async #sendOne(command: AddressedCommand): Promise<void> {
    const text = stringifyJson(command.body);
    this.#recent.push(`${command.path} ${text.slice(0, 2_000)}`);
    const reply = await this.#client.send(command.path, text).catch((error: Error) => {
      throw this.#failure(`${error.message}\n${this.#server.stderr().slice(-2_000)}`);
    });
    const problem = problemOf(reply);
    if (problem !== undefined)
      throw this.#failure(`${problem}: ${reply.httpStatus} ${reply.text.slice(0, 2_000)}`);
    const isRefused = reply.body.errors !== undefined;
    this.#countOne(keyOfCommand(command), isRefused);
    if (command.path.startsWith(`/${this.#scope.keyspace}`))
      this.#watches.get(command.table.name)?.note(command, isRefused);
    this.#notePage(command, reply);
  }

  /** Makes the tables that were dropped, and looks at the rows of all. */
  async #check(): Promise<void> {
    await createFuzzTables(this.#client, `/${this.#scope.keyspace}`, this.#tables);
    for (const watch of this.#watches.values()) {
      await watch.check().catch((error: Error) => {
        throw this.#failure(error.message);
      });
    }
    this.#recent = [];
  }

  #notePage({ target, name, payload, table }: AddressedCommand, { body }: DataReply): void {
    const state = body.data?.nextPageState ?? null;
    const { openPages } = this.#scope;
    if (target === 'table' && name === 'find' && state !== null)
      openPages.push({ payload: withoutState(payload), table, state });
    if (openPages.length > openPagesKept) openPages.shift();
  }

  #countOne(key: string, isRefused: boolean): void {
    const count = this.#counts.get(key) ?? { done: 0, refused: 0 };
    count[isRefused ? 'refused' : 'done'] += 1;
    this.#counts.set(key, count);
  }

  #failure(problem: string): Error {
    return new Error(`${this.#name}: ${problem}\nafter\n${this.#recent.join('\n')}`);
  }
}

/** What is wrong with a reply, whatever the command said. */
function problemOf({ httpStatus, body, text }: DataReply): string | undefined {
  if (httpStatus !== 200) return 'the status is not 200';
  const { data, status, errors } = body;
  if (data === undefined && status === undefined && errors === undefined)
    return 'the body is not an envelope';
  if (text.includes('"family":"SERVER"')) return 'the server failed';
  const isOdd = (errors ?? []).some(
    ({ errorCode, message }) => !/^[A-Z_]+$/.test(errorCode) || message.length < 10,
  );
  return isOdd ? 'an error without code or message' : undefined;
}

function withoutState(payload: JsonObject): JsonObject {
  const options = payload.get('options') ?? null;
  if (!isJsonObject(options)) return payload;
  const kept = new Map([...options].filter(([name]) => name !== 'pageState'));
  return new Map([...payload, ['options', kept]]);
}
