// Commands on collections for the tests of the contract: replies as short texts, one line for a row of the contract.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WireServer } from './wire-server.js';

interface ParsedReply {
  readonly data?: { readonly documents?: readonly { readonly _id: unknown }[]; readonly document?: unknown };
  readonly status?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly {
    readonly family: string;
    readonly scope: string;
    readonly errorCode: string;
  }[];
}

/** Commands on the collections of `default_keyspace`. */
export interface CollectionSteps {
  /** Sends a command; without a collection to the keyspace. Gives the text of the reply. */
  send(body: string, collection?: string): Promise<string>;
  /** Creates a collection with these options, in JSON. */
  create(name: string, options?: string): Promise<void>;
  /** Stores documents, each in JSON. */
  insert(collection: string, ...documents: readonly string[]): Promise<void>;
  /** The ids of the documents of a find with these members, in JSON: `1 2 "a"`. Sorted unless `isOrdered`. */
  ids(collection: string, members: string, isOrdered?: boolean): Promise<string>;
  /** The codes of the errors, with scope, and `SERVER` where the family is that: `FILTER FILTER_…`. */
  codes(body: string, collection?: string): Promise<string>;
}

/** The steps on a server. */
export function collectionSteps({ send }: Pick<WireServer, 'send'>): CollectionSteps {
  const sendTo = async (body: string, collection?: string) => {
    const path = `/v1/default_keyspace${collection === undefined ? '' : `/${collection}`}`;
    const { status, text } = await send({ path, body });
    assert.equal(status, 200, text);
    return text;
  };
  const succeed = async (body: string, collection?: string) => {
    const text = await sendTo(body, collection);
    assert.ok(!text.includes('"errors"'), `${body}: ${text}`);
    return text;
  };
  return {
    send: sendTo,
    create: async (name, options = '{}') => {
      const text = await succeed(`{"createCollection":{"name":"${name}","options":${options}}}`);
      assert.equal(text, '{"status":{"ok":1}}');
    },
    insert: async (collection, ...documents) => {
      await succeed(`{"insertMany":{"documents":[${documents.join(',')}]}}`, collection);
    },
    ids: async (collection, members, isOrdered = false) => {
      const text = await succeed(`{"find":{${members}}}`, collection);
      const reply = JSON.parse(text) as ParsedReply; // as the contract has it
      const ids = (reply.data?.documents ?? []).map(({ _id }) => JSON.stringify(_id));
      return (isOrdered ? ids : ids.toSorted()).join(' ');
    },
    codes: async (body, collection) => {
      const text = await sendTo(body, collection);
      const { errors = [] } = JSON.parse(text) as ParsedReply; // as the contract has it
      const codes = errors.map(({ family, scope, errorCode }) =>
        [family === 'SERVER' ? family : '', scope, errorCode].filter((part) => part !== '').join(' '),
      );
      return codes.length === 0 ? text : codes.join(', ');
    },
  };
}

/** A test for each row: its name says the row of the contract, and what is sent. */
export function eachRow<Row extends readonly [name: string, sent: string, expected: string]>(
  rows: readonly Row[],
  run: (sent: string, row: Row) => Promise<string>,
): void {
  for (const row of rows) {
    const [name, sent, expected] = row;
    it(`${name}: ${sent.slice(0, 90)}`, async () => assert.equal(await run(sent, row), expected));
  }
}
