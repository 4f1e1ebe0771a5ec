// A server whose embedding providers are a local one that the test controls.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { embeddingDialects } from '../conformance/embedding-dialects.js';
import { type EmbeddingServer, startEmbeddingServer } from '../conformance/embedding-server.js';
import {
  messagesIn,
  shortened,
  unbroken,
  useWireServer,
  type WireServer,
  type WireServerOptions,
} from './wire-server.js';

/** A body, its reply as `Exchange` has it, and the headers of the request. */
export type ExchangeWithHeaders = (
  headers: Readonly<Record<string, string>>,
  body: string,
  reply: string,
  ...facts: readonly string[]
) => Promise<void>;

/** Both servers. */
export interface EmbeddingWireServer extends WireServer {
  /** The one in the provider's place. */
  provider(): EmbeddingServer;
  withHeaders(path: string): ExchangeWithHeaders;
  /** Starts the server again with other facts of providers. */
  restartWith(changes: Readonly<Record<string, object>>): Promise<void>;
}

/** Dimension of every model here. */
export const dimension = 4;

/** The providers file for a server at `url`. `ours` wants a key, `free` does not. */
function providersFile(url: string): { readonly providers: Readonly<Record<string, object>> } {
  const models = [{ name: 'm', dimension }];
  const own = { format: 'openaiCompatible', url, models };
  return {
    providers: {
      ours: {
        ...own,
        authentication: ['header', 'sharedSecret'],
        models: [
          ...models,
          { name: 'other', dimension },
          { name: 'large', dimension: { least: 2, most: 9, default: 7 } },
          { name: 'unsaid', dimension: { options: [2, 4] } },
          { name: 'old', dimension, status: 'DEPRECATED', message: 'Take m.' },
          { name: 'gone', dimension, status: 'END_OF_LIFE', message: 'Take m.' },
        ],
      },
      free: own,
      impatient: { ...own, timeoutMs: 40 },
      nowhere: { ...own, url: 'http://embeddings.invalid/' },
      off: { ...own, enabled: false },
      elsewhere: { ...own, regions: ['eu-west-1'] },
      stored: { ...own, authentication: ['sharedSecret'] },
      openai: { url },
      nvidia: { url: `${url}/embeddings`, models },
      mistral: { enabled: false },
      bedrock: { url: `${url}/embeddings` },
    },
  };
}

/** Starts both for the suite that it is declared in. */
export function useEmbeddingWireServer({
  args = [],
  prepare = [],
}: Pick<WireServerOptions, 'args' | 'prepare'> = {}): EmbeddingWireServer {
  const dialect = embeddingDialects.find(({ provider }) => provider === 'openaiCompatible');
  assert.ok(dialect);
  const file = join(makeTemporaryDirectory(), 'providers.json');
  let provider: EmbeddingServer | undefined;
  const server = useWireServer({
    args: ['--providers-file', file, ...args],
    prepare,
    beforeStart: async () => {
      provider = await startEmbeddingServer({ ...dialect, dimension });
      writeFileSync(file, JSON.stringify(providersFile(`${provider.origin}/v1`)));
    },
  });
  after(() => provider?.close());
  return {
    ...server,
    provider: () => {
      assert.ok(provider);
      return provider;
    },
    restartWith: async (changes) => {
      const { providers } = providersFile(`${provider?.origin}/v1`);
      const changed = Object.entries(changes).map(([name, facts]) => [
        name,
        { ...providers[name], ...facts },
      ]);
      writeFileSync(file, JSON.stringify({ providers: { ...providers, ...Object.fromEntries(changed) } }));
      await server.restart();
    },
    withHeaders:
      (path) =>
      async (headers, body, reply, ...facts) => {
        const all = { 'content-type': 'application/json', ...headers };
        const { text } = await server.send({ path, body: unbroken(body), headers: all });
        assert.equal(shortened(text), unbroken(reply), text);
        for (const fact of facts) assert.ok(messagesIn(text).includes(fact), `${fact} is not in ${text}`);
      },
  };
}
