// The thread for large requests: runs commands with its own event loop and heap, so that small requests do not wait.
import { randomUUID } from 'node:crypto';
import type { TextToEmbed } from '../data-service/commands/text-to-embed.js';
import { checkedEngine } from '../data-service/engine/checked-engine.js';
import { openGuestEngine } from '../data-service/engine/embedded/guest-engine.js';
import type { Engine } from '../data-service/engine/engine.js';
import { makeAnswerBody } from '../data-service/http/answer-body.js';
import { answerLarge } from '../data-service/http/large-requests.js';
import { runNativeQuery } from '../data-service/native-query/run-native-query.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import { createLogger } from '../foundation/telemetry/logger.js';
import { type OwnerPort, serveThread, type ThreadWork } from '../foundation/threads/serve-thread.js';
import { type LinkMessage, MovedResult, ThreadLink } from '../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../foundation/threads/worker-thread.js';
import { packNativeReply } from '../ops-service/clusters/data-service-link.js';
import {
  type LargeThreadCalls,
  type LargeThreadData,
  type LargeThreadHost,
  largeThreadErrors,
} from './large-request-messages.js';
import { type CallCounter, measureEngine } from './measure-engine.js';
import { openCatalogue } from './open-embedding.js';

/** A large request may take twice as long before a small one waits for it. */
const niceness = 10;

function serveLargeRequests(
  { config, pageStateKey, readTimeoutMs }: LargeThreadData,
  owner: OwnerPort<LinkMessage, LinkMessage>,
): ThreadWork<LinkMessage> {
  const link = new ThreadLink<LargeThreadHost, LargeThreadCalls>(
    owner,
    {
      answer: async ({ id, body, address }) => {
        const embedTextsFor = () => (texts: readonly TextToEmbed[]) => link.call('embed', { id, texts });
        const engine = announceWrites(commandOptions.engine, () => link.notify('beginWrite', id));
        const answers = makeAnswerBody({ ...commandOptions, engine, embedder: { catalogue, embedTextsFor } });
        const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
        const answer = await answerLarge(answers, bytes, address, hasNoHeader);
        return new MovedResult(answer, ownMemoryOf(answer.bytes ?? answer.body));
      },
      runNative: async (query) => packNativeReply(await runNativeQuery(commandOptions.engine, query)),
    },
    largeThreadErrors,
  );
  const guest = openGuestEngine(
    { dataDirectory: config.dataDir, clock: systemClock, readTimeoutMs },
    {
      write: (write) => link.call('write', write, undefined, ownMemoryOf(write.packed)),
      findNearest: (search) => link.call('findNearest', search),
      schemaGeneration: (wanted) => link.call('schemaGeneration', wanted),
    },
  );
  const engine = measureEngine(checkedEngine(guest), counterOver(link), systemClock);
  const catalogue = openCatalogue(config);
  const commandOptions = {
    engine,
    dialect: config.dialect,
    pageStateKey: Buffer.from(pageStateKey),
    checkEmbeddingService: () => {
      throw new TypeError('changes of the schema are not made here');
    },
    newId: randomUUID,
    logger: createLogger(config.logLevel),
  };
  return { receive: (message) => link.receive(message), close: () => engine.close() };
}

/** The same engine; `announce` is called before each of its writes. */
function announceWrites(engine: Engine, announce: () => void): Engine {
  const announced =
    <Plan, Outcome>(write: (plan: Plan) => Promise<Outcome>) =>
    (plan: Plan) => {
      announce();
      return write(plan);
    };
  return {
    ...engine,
    insertRows: announced((plan) => engine.insertRows(plan)),
    changeRow: announced((plan) => engine.changeRow(plan)),
    deleteRows: announced((plan) => engine.deleteRows(plan)),
  };
}

/** The main thread keeps the headers, because it embeds the texts. */
const hasNoHeader = () => undefined;

function counterOver(link: ThreadLink<LargeThreadHost, LargeThreadCalls>): CallCounter {
  return {
    beginCall: (kind) => link.notify('countCall', { step: 'begin', kind }),
    suspendCall: (kind) => link.notify('countCall', { step: 'suspend', kind }),
    endCall: (kind, elapsedMs, keyspace, table) =>
      link.notify('countCall', { step: 'end', kind, elapsedMs, keyspace, table }),
  };
}

serveThread(serveLargeRequests, { niceness });
