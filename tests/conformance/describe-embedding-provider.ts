// Declares the suite that every embedding provider over HTTP must pass, against a server that speaks its format.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EmbeddingTask, embedBatches } from '../../src/data-service/embedding/embed-batch.js';
import { fixedModel } from '../../src/data-service/embedding/entry-parts.js';
import type { EmbeddingProvider, ProviderLimits } from '../../src/data-service/embedding/provider.js';
import { ProviderFailure, type ProviderProblem } from '../../src/data-service/embedding/provider-failure.js';
import type { BatchEffects } from '../../src/data-service/embedding/run-batches.js';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import type { ProviderDialect } from './embedding-dialects.js';
import {
  answering,
  cutShort,
  type EmbeddingServer,
  type Misbehaviour,
  silent,
  startEmbeddingServer,
  vectorFor,
} from './embedding-server.js';

const texts = ['first', 'second "quoted"', 'drei – 三 🦉', 'fourth', 'fifth'];

/** Declares the suite for a provider. */
export function describeEmbeddingProvider(provider: EmbeddingProvider, dialect: ProviderDialect): void {
  describe(`the embedding provider ${provider.name}`, () => {
    let server: EmbeddingServer;
    before(async () => {
      server = await startEmbeddingServer(dialect);
    });
    after(() => server.close());

    const setUp = (...misbehaviours: readonly Misbehaviour[]): Setting => {
      server.misbehave(...misbehaviours);
      return { provider, dialect, server, seen: server.received.length };
    };
    for (const [sentence, run] of Object.entries(cases)) it(sentence, () => run(setUp));
  });
}

interface Setting {
  readonly provider: EmbeddingProvider;
  readonly dialect: ProviderDialect;
  readonly server: EmbeddingServer;
  /** Requests that the server had got before this case. */
  readonly seen: number;
}

type SetUp = (...misbehaviours: readonly Misbehaviour[]) => Setting;

const cases: Readonly<Record<string, (setUp: SetUp) => Promise<void>>> = {
  'sends the published request, in batches it can take, and gives the vectors in the order of the texts':
    async (setUp) => {
      for (const purpose of ['passage', 'query'] as const) {
        const setting = setUp();
        const vectors = await embed(setting, { purpose });
        const { dialect } = setting;
        assert.deepEqual(
          vectors.map((vector) => [...vector]),
          texts.map((text) => [...Float32Array.from(vectorFor(text, dialect.dimension))]),
        );
        const requests = setting.server.received.slice(setting.seen);
        assert.deepEqual(requests.flatMap(({ body }) => dialect.textsIn(body)).sort(), [...texts].sort());
        for (const request of requests) {
          assert.equal(request.path, dialect.path);
          assert.deepEqual(request.body, toJson(dialect.body(dialect.textsIn(request.body), purpose)));
          assert.match(String(request.headers['content-type']), /^application\/json/);
          for (const [name, value] of Object.entries(dialect.headers(request)))
            assert.equal(request.headers[name], value, name);
        }
      }
    },

  'asks nobody without the secret that it needs, and names the header': async (setUp) => {
    const setting = setUp();
    const { provider, dialect, server, seen } = setting;
    if (provider.entry.authentication.none) {
      await embed(setting, { credential: undefined });
      assert.equal(server.received.at(-1)?.headers['authorization'], undefined);
      return;
    }
    for (const credential of [undefined, {}, { ...dialect.credential, [firstMember(provider)]: '' }]) {
      const failure = await failureOf(setting, 'keysMissing', { credential });
      for (const { header } of provider.entry.secrets) assert.ok(failure.message.includes(header), header);
    }
    assert.equal(server.received.length, seen);
  },

  'gives the message of a refusal, without the secret, and does not ask again': async (setUp) => {
    const secrets = (setting: Setting) => Object.values(setting.dialect.credential);
    const setting = setUp((response, request) => {
      const quoted = JSON.stringify([...secrets(setting), request.headers['authorization']]);
      answering(401, JSON.stringify(setting.dialect.refusal(`no such key: ${quoted}`)))(response, request);
    });
    const failure = await failureOf(setting, 'clientError');
    assert.match(failure.message, /^HTTP 401: ".*no such key: .*\*\*\*/);
    for (const secret of secrets(setting)) assert.ok(!failure.message.includes(secret));
    assert.equal(asked(setting), 1);
  },

  'waits as long as a 429 says, then asks again': async (setUp) => {
    const setting = setUp(answering(429, '', { 'retry-after': '2' }));
    const waits: number[] = [];
    await embed(setting, { texts: ['one'], sleep: async (ms) => void waits.push(ms) });
    assert.deepEqual(waits, [2000]);
    assert.equal(asked(setting), 2);
  },

  'does not wait when a 429 says longer than there is time': async (setUp) => {
    const setting = setUp(answering(429, JSON.stringify({ message: 'too many' }), { 'retry-after': '3600' }));
    const failure = await failureOf(setting, 'rateLimited');
    assert.equal(failure.retryAfterMs, 3_600_000);
    assert.equal(asked(setting), 1);
  },

  'asks again after a failure of the server, up to its number of attempts, with growing delays': async (
    setUp,
  ) => {
    const setting = setUp(answering(500, ''), answering(503, 'down'));
    await embed(setting, { texts: ['one'] });
    assert.equal(asked(setting), 3);

    const failing = setUp(answering(500, ''), answering(502, ''), answering(503, '<html>down</html>'));
    const waits: number[] = [];
    const failure = await failureOf(failing, 'serverError', { sleep: async (ms) => void waits.push(ms) });
    assert.match(failure.message, /^HTTP 503: "<html>down<\/html>"/);
    assert.equal(asked(failing), 3);
    const { firstDelayMs, maxDelayMs } = setting.provider.entry.limits;
    assert.deepEqual(
      waits,
      [firstDelayMs, Math.min(firstDelayMs * 2, maxDelayMs)].map((ms) => ms * 0.75),
    );
  },

  'gives up on a server that does not answer in time': async (setUp) => {
    const setting = setUp(silent, silent, answering(504, ''));
    await failureOf(setting, 'timeout', { limits: { timeoutMs: 40 } });
    assert.equal(asked(setting), 3);
  },

  'asks again when the connection is cut': async (setUp) => {
    const once = setUp((response) => response.destroy());
    await embed(once, { texts: ['one'] });
    const setting = setUp(cutShort, (response) => response.destroy(), cutShort);
    await failureOf(setting, 'unreachable');
    assert.equal(asked(setting), 3);
  },

  'does not follow a redirect': async (setUp) => {
    const setting = setUp(answering(307, '', { location: '/elsewhere' }));
    const failure = await failureOf(setting, 'unexpectedResponse');
    assert.match(failure.message, /redirects are not followed/);
    assert.equal(asked(setting), 1);
  },

  'refuses vectors of another dimension': async (setUp) => {
    const setting = setUp((response, request) => {
      const { dialect } = setting;
      const vectors = dialect.textsIn(request.body).map((text) => vectorFor(text, dialect.dimension + 1));
      response.end(JSON.stringify(dialect.reply(vectors)));
    });
    const failure = await failureOf(setting, 'unexpectedResponse');
    const { dimension } = setting.dialect;
    assert.ok(
      failure.message.includes(`${dimension + 1} dimensions instead of ${dimension}`),
      failure.message,
    );
  },

  'refuses garbage': async (setUp) => {
    const { dialect } = setUp();
    const vector = vectorFor('x', dialect.dimension);
    const garbage: readonly unknown[] = [
      null,
      [],
      {},
      'text',
      { data: 7, embeddings: 7, predictions: 7, embedding: 7 },
      { data: [7], embeddings: [7], predictions: [7], embedding: [7] },
      dialect.reply([vector.map(String)]), // what a broken server would send
      dialect.reply([vector.map(() => 1e300)]),
    ];
    const bodies = [...garbage.map((json) => JSON.stringify(json)), '', '{', 'x'.repeat(2_000_000)];
    for (const body of bodies) {
      const setting = setUp(answering(200, body));
      await failureOf(setting, ['unexpectedResponse', ...(dialect.ownProblems ?? [])]);
      assert.equal(asked(setting), 1, body.slice(0, 100));
    }
  },

  'fails as a whole when one of its batches fails': async (setUp) => {
    const setting = setUp();
    setting.server.misbehave(answering(400, JSON.stringify(setting.dialect.refusal('too long'))));
    const error = await embed(setting, { limits: { maxBatchSize: 1 } }).catch((caught: unknown) => caught);
    assert.ok(error instanceof ProviderFailure);
    assert.match(error.message, /^HTTP 400: "too long"/);
  },
};

interface Ask {
  readonly texts?: readonly string[];
  readonly purpose?: EmbeddingTask['purpose'];
  readonly credential?: EmbeddingTask['credential'];
  readonly limits?: Partial<ProviderLimits>;
  readonly sleep?: BatchEffects['sleep'];
}

function embed(setting: Setting, ask: Ask = {}): Promise<readonly Float32Array[]> {
  const { provider, dialect, server } = setting;
  const url = (provider.entry.url ?? 'https://self/v1/').replace(/^https:\/\/[^/]*/, server.origin);
  const maxBatchSize = Math.min(provider.entry.limits.maxBatchSize, 2);
  const task: EmbeddingTask = {
    provider,
    entry: { ...provider.entry, url, limits: { ...provider.entry.limits, maxBatchSize, ...ask.limits } },
    model:
      provider.entry.models.find(({ name }) => name === dialect.model) ??
      fixedModel(dialect.model, dialect.dimension),
    dimension: dialect.dimension,
    parameters: dialect.parameters,
    credential: 'credential' in ask ? ask.credential : dialect.credential,
    purpose: ask.purpose ?? 'passage',
    texts: ask.texts ?? texts,
  };
  const sleep = ask.sleep ?? (async () => {});
  const refuse = () => Promise.reject(new Error('there are no local models'));
  const localModels = { embed: refuse, rank: refuse };
  return embedBatches(task, {
    ...{ send: sendRequest, clock: stoppedClock, sleep, random: () => 0.5, localModels },
  });
}

/** The failure for one text: it shows how often the server is asked. */
async function failureOf(
  setting: Setting,
  problem: ProviderProblem | readonly ProviderProblem[],
  ask: Ask = {},
): Promise<ProviderFailure> {
  const error = await embed(setting, { texts: ['one'], ...ask }).then(
    () => new Error('there are embeddings'),
    (caught: unknown) => caught,
  );
  if (!(error instanceof ProviderFailure)) throw error;
  assert.ok([problem].flat().includes(error.problem), `${error.problem}: ${error.message}`);
  return error;
}

/** Time stands still, so that only requested waits use it up. */
const stoppedClock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5), monotonicMs: () => 0 };

function asked({ server, seen }: Setting): number {
  return server.received.length - seen;
}

function firstMember({ entry }: EmbeddingProvider): string {
  return entry.secrets[0]?.member ?? '';
}

/** The body in the form in which it arrives: without members that are undefined. */
function toJson(body: object): unknown {
  return JSON.parse(JSON.stringify(body));
}
