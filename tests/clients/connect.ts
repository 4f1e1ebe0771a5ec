// Connects the official TypeScript client, unmodified, to a server process that the tests of one process share.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import {
  DataAPIClient,
  DataAPIResponseError,
  type Db,
  type SomeRow,
  type Table,
} from '@datastax/astra-db-ts';
import { isOnCluster, serverArgs } from '../acceptance/server-args.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';

/** The names under which the client knows databases. */
export type Environment = 'astra' | 'dse' | 'hcd' | 'cassandra' | 'other';

/** A server with a client connected to its `default_keyspace`. */
export interface Connection {
  readonly server: RunningServer;
  readonly client: DataAPIClient;
  readonly db: Db;
  /** Codes of the warnings that came with replies, in order of arrival. */
  readonly warningCodes: string[];
  /** Closes the client. */
  close(): Promise<void>;
}

/** A change of the schema of a real node takes seconds where other nodes keep the machine busy. */
const patience = {
  requestTimeoutMs: 60_000,
  generalMethodTimeoutMs: 120_000,
  tableAdminTimeoutMs: 120_000,
  keyspaceAdminTimeoutMs: 120_000,
};

let shared: Promise<RunningServer> | undefined;
after(async () => {
  await (await shared)?.stop();
});

/** Connects to the server, which is as empty as a new one: only one connection is open at a time. */
export async function connect(): Promise<Connection> {
  const isNew = shared === undefined;
  shared ??= startEmpty();
  const connection = connectTo(await shared);
  if (!isNew) await makeEmpty(connection.db);
  return { ...connection, close: () => connection.client.close() };
}

/** Starts a server without tables, also where its rows are in a cluster that others have used. */
export async function startEmpty({
  token,
  args = [],
}: {
  readonly token?: string;
  readonly args?: readonly string[];
} = {}): Promise<RunningServer> {
  const access = token === undefined ? [] : ['--token', token];
  const server = await startServer({ args: [...serverArgs(), ...access, ...args] });
  if (isOnCluster()) {
    const { client, db } = connectTo(server, token === undefined ? {} : { token });
    await makeEmpty(db);
    await client.close();
  }
  return server;
}

async function makeEmpty(db: Db): Promise<void> {
  const admin = db.admin({ environment: 'other' });
  for (const keyspace of await admin.listKeyspaces()) await admin.dropKeyspace(keyspace);
  await admin.createKeyspace('default_keyspace');
}

/** Connects to a server that runs. */
export function connectTo(
  server: RunningServer,
  { environment = 'other', token }: { environment?: Environment; token?: string } = {},
): Omit<Connection, 'close'> {
  const client = new DataAPIClient(token, {
    environment,
    ...(isOnCluster() ? { timeoutDefaults: patience } : {}),
    logging: [{ events: ['commandWarnings'], emits: 'event' }],
  });
  const warningCodes: string[] = [];
  client.on('commandWarnings', ({ warnings }) => {
    warningCodes.push(...warnings.map(({ errorCode }) => String(errorCode)));
  });
  const db = client.db(server.url, { keyspace: 'default_keyspace' });
  return { server, client, db, warningCodes };
}

/** A table whose rows the tests know better than the compiler. */
export type AnyTable = Table<SomeRow>;

/** Columns and a key: what `createTable` takes. */
export interface Definition {
  readonly columns: Readonly<Record<string, string | { readonly type: string }>>;
  readonly primaryKey:
    | string
    | { readonly partitionBy: readonly string[]; readonly partitionSort?: Readonly<Record<string, 1 | -1>> };
}

export async function createTable(db: Db, name: string, definition: Definition): Promise<AnyTable> {
  // The client's own type of definitions lists the types it knows; refusals need others, too.
  return db.createTable<SomeRow>(name, { definition: definition as never });
}

/** Checks that the work is refused as the client's `DataAPIResponseError` with this code and scope. */
export async function assertRefused(
  work: Promise<unknown>,
  expected: { readonly code: string; readonly scope: string; readonly message?: RegExp },
): Promise<void> {
  const error = await work.then(
    () => assert.fail(`nothing was refused, ${expected.code} was expected`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DataAPIResponseError)) throw error;
  const [first] = error.errorDescriptors;
  assert.deepEqual(
    { code: first.errorCode, scope: first.scope, family: first.family },
    { code: expected.code, scope: expected.scope, family: 'REQUEST' },
  );
  if (expected.message !== undefined) assert.match(error.message, expected.message);
}
