// The tables of tests of large requests, and how their rows are read.
import assert from 'node:assert/strict';
import { useWireServer, type WireServer } from './wire-server.js';

/** The path of the keyspace of the tables. */
export const keyspace = '/v1/default_keyspace';
/** Its rows have large texts. */
export const rows = `${keyspace}/rows`;
/** Its rows have vectors, which are indexed. */
export const found = `${keyspace}/found`;
/** Bytes, or characters of one byte. */
export const mib = 1024 * 1024;
/** The form of U+0001 in JSON: six times as long as it is in memory. */
export const control = '\\u0001';

/** The data of a reply. */
export interface LargeData {
  readonly document?: unknown;
  readonly documents?: readonly Record<string, unknown>[];
  readonly nextPageState?: string;
}

/** A server with the tables `rows` and `found`; `data` gives the data of the reply to a read. */
export function useLargeTables(): WireServer & {
  data(path: string, body: string): Promise<LargeData>;
} {
  const server = useWireServer({
    prepare: [
      [
        keyspace,
        `{"createTable":{"name":"rows","definition":{"primaryKey":"id","columns":{"id":"int","a":"text",
          "b":"text","n":"int","l":{"type":"list","valueType":"int"}}}}}`,
      ],
      [
        keyspace,
        `{"createTable":{"name":"found","definition":{"primaryKey":"id","columns":{"id":"int","note":"text",
          "v":{"type":"vector","dimension":2}}}}}`,
      ],
      [found, '{"createVectorIndex":{"name":"found_v","definition":{"column":"v"}}}'],
    ],
  });
  return {
    ...server,
    data: async (path, body) => {
      const { text, status } = await server.send({ path, body });
      assert.equal(status, 200);
      const reply: { data?: LargeData } = JSON.parse(text);
      assert.ok(reply.data !== undefined, text.slice(0, 500));
      return reply.data;
    },
  };
}
