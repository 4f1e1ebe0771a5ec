// Clients that make tables and collections, use, change and drop them, and make others of the same names.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataClient, DataReply, ReplyBody } from '../../faults/data-client.js';
import type { SeededRandom } from '../../seeded-random.js';
import { ClientLoad } from '../client-load.js';
import { changedCollection } from './document-load.js';

const rowCount = 10;
const tags = ['even', 'odd'] as const;
/** A step is repeated for so long until it succeeds. */
const patienceMs = 300_000;
const betweenTriesMs = 250;
const mostNotedText = 300;
/**
 * What a step may be answered meanwhile. Another process learns of a change within a second; a node that hung while a
 * table was made may lack it for longer (docs/differences.md).
 */
const passingCodes = [
  ...['UNKNOWN_COLLECTION_OR_TABLE', 'UNKNOWN_TABLE_COLUMNS', 'CANNOT_DROP_UNKNOWN_COLUMNS'],
  ...['CANNOT_ADD_EXISTING_COLUMNS', 'FAILED_READ_REQUEST'],
];

/** One step: a command below the keyspace, and whether its reply is right. */
interface Step {
  /** The name of the table or collection; absent for a command on the keyspace. */
  readonly name?: string;
  readonly command: object;
  readonly isRight?: (body: ReplyBody) => boolean;
  /** Codes that say that an earlier try, whose outcome was unknown, had its effect. */
  readonly done?: readonly string[];
}

/** A call, for the search behind a failure. */
interface SchemaCall {
  readonly caller: string;
  readonly server: number;
  /** By the clock that the logs of the nodes show. */
  readonly beganAt: Date;
  readonly tookMs: number;
  readonly name: string | undefined;
  readonly command: object;
  /** The beginning of the reply, or what became of the call. */
  readonly reply: string;
}

/** Each client has two names, and uses them again and again; each step goes through any server. */
export class SchemaLoad extends ClientLoad {
  /** What was made and dropped again. */
  readonly made = { tables: 0, collections: 0 };
  /** How often a step was repeated for a code, or for an answer that was not right yet. */
  readonly repeated = new Map<string, number>();
  readonly calls: SchemaCall[] = [];
  #turn = 0;

  protected override async callOnce(_: DataClient, caller: string, random: SeededRandom): Promise<void> {
    this.#turn += 1;
    const name = `passing_${caller.replaceAll(/\D+/g, '_')}_${this.#turn % 2}`;
    const [kind, steps] = random.oneIn(4)
      ? (['collections', collectionSteps(`documents${name}`)] as const)
      : (['tables', tableSteps(name)] as const);
    for (const step of steps) if (!(await this.#take(step, caller, random))) return;
    this.made[kind] += 1;
  }

  /** Whether the step succeeded in the end. */
  async #take(step: Step, caller: string, random: SeededRandom): Promise<boolean> {
    const { name, command, isRight = () => true, done = [] } = step;
    const path = `/${changedCollection.keyspace}${name === undefined ? '' : `/${name}`}`;
    let last = 'no reply';
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(betweenTriesMs)) {
      const server = random.below(this.clients.length);
      const reply = await this.#note({ caller, server, name, command }, (client) =>
        this.send(client, path, command, [...passingCodes, ...done]),
      );
      if (typeof reply !== 'object') continue;
      const code = reply.body.errors?.[0]?.errorCode;
      if (code === undefined ? isRight(reply.body) : done.includes(code)) return true;
      last = reply.text;
      const reason = code ?? 'not right yet';
      this.repeated.set(reason, (this.repeated.get(reason) ?? 0) + 1);
    }
    this.unexpected.push(`${caller}: ${JSON.stringify(command)} got ${last.slice(0, 500)} until the end`);
    return false;
  }

  async #note(
    call: Pick<SchemaCall, 'caller' | 'server' | 'name' | 'command'>,
    send: (client: DataClient) => Promise<DataReply | 'unknown' | undefined>,
  ): Promise<DataReply | 'unknown' | undefined> {
    const client = this.clients[call.server];
    if (client === undefined) throw new RangeError(`there is no server ${call.server}`);
    const beganAt = new Date();
    const reply = await send(client);
    const tookMs = Date.now() - beganAt.getTime();
    const text = typeof reply === 'object' ? reply.text.slice(0, mostNotedText) : (reply ?? 'no effect');
    this.calls.push({ ...call, beganAt, tookMs, reply: text });
    return reply;
  }
}

function tableSteps(name: string): readonly Step[] {
  const documents = Array.from({ length: rowCount }, (_, id) => ({ id, tag: tags[id % tags.length] }));
  const count = (wanted: number) => (body: ReplyBody) => body.data?.documents?.length === wanted;
  const columns = { id: 'int', tag: 'text' };
  return [
    { command: { createTable: { name, definition: { columns, primaryKey: 'id' }, options: ifNotExists } } },
    { name, command: { insertMany: { documents } } },
    {
      name,
      command: { createIndex: { name: `${name}_tag`, definition: { column: 'tag' }, options: ifNotExists } },
    },
    { name, command: { find: { filter: { tag: 'odd' } } }, isRight: count(rowCount / tags.length) },
    {
      name,
      command: { alterTable: { operation: { add: { columns: { n: 'int' } } } } },
      done: ['CANNOT_ADD_EXISTING_COLUMNS'],
    },
    { name, command: { updateOne: { filter: { id: 1 }, update: { $set: { n: 7 } } } } },
    {
      name,
      command: { findOne: { filter: { id: 1 } } },
      isRight: ({ data }) => data?.document?.['n'] === 7,
    },
    {
      name,
      command: { alterTable: { operation: { drop: { columns: ['n'] } } } },
      done: ['CANNOT_DROP_UNKNOWN_COLUMNS'],
    },
    { command: { dropIndex: { name: `${name}_tag`, options: { ifExists: true } } } },
    { name, command: { find: { filter: {} } }, isRight: count(rowCount) },
    { command: { dropTable: { name, options: { ifExists: true } } } },
  ];
}

function collectionSteps(name: string): readonly Step[] {
  const documents = [1, 2, 3].map((id) => ({ _id: id, tag: 'one' }));
  return [
    { command: { createCollection: { name } } },
    ...documents.map((document) => ({
      name,
      command: { insertOne: { document } },
      done: ['DOCUMENT_ALREADY_EXISTS'],
    })),
    {
      name,
      command: { find: { filter: { tag: 'one' } } },
      isRight: ({ data }: ReplyBody) => data?.documents?.length === documents.length,
    },
    { command: { deleteCollection: { name } } },
  ];
}

const ifNotExists = { ifNotExists: true } as const;
