// The commands of one scenario on one engine. Two engines get the same time and the same new ids for the same command.
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { DataRoutes } from '../../src/data-service/http/routes.js';
import type { JsonObject, JsonText } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { bodyText } from '../body-text.js';
import { builtInEmbedding } from '../built-in-embedding.js';
import { dataRoutesOver } from '../data-routes.js';

const limits = { maxDepth: 100, maxNumberLength: 10_000 };
const firstMs = Date.UTC(2026, 10, 28);

/** A command or a reply as JSON, which is an object. */
export function parseObject(text: JsonText): JsonObject {
  return parseJson(text, limits) as JsonObject; // the callers pass objects
}

/** Sends commands to a collection, which has the same name on every engine. */
export class RoutesOfScenario {
  readonly #path: string;
  readonly #routes: DataRoutes;
  #turn = 0;
  #ids = 0;

  constructor(engine: Engine, collection: string) {
    this.#path = `/v1/default_keyspace/${collection}`;
    const clock = { ...systemClock, nowMs: () => firstMs + this.#turn };
    this.#routes = dataRoutesOver(engine, { ...builtInEmbedding, clock, newId: () => this.#newId() });
  }

  /** Sends a command of a turn to the collection; gives the reply. */
  send(turn: number, body: JsonText): Promise<JsonText> {
    this.#turn = turn;
    this.#ids = 0;
    return this.#answer(this.#path, body);
  }

  /** Sends a command to the keyspace; gives the reply. */
  sendToKeyspace(body: JsonText): Promise<JsonText> {
    return this.#answer('/v1/default_keyspace', body);
  }

  async #answer(path: string, body: JsonText): Promise<JsonText> {
    const request = { method: 'POST', path, query: '', remoteAddress: '127.0.0.1', header: () => undefined };
    return bodyText(await this.#routes.answer({ ...request, body: Buffer.from(body) }));
  }

  #newId(): string {
    this.#ids += 1;
    const digits = (value: number, length: number) => value.toString(16).padStart(length, '0');
    return `${digits(this.#turn, 8)}-0000-4000-8000-${digits(this.#ids, 12)}`;
  }
}
