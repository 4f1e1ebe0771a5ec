// Sends the commands of a scenario to a server and compares its replies, and then its documents, with the model.
import assert from 'node:assert/strict';
import {
  isJsonArray,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import {
  countOf,
  ModelCollection,
  memberOf,
  numberOf,
  type Outcome,
  objectOf,
  type State,
} from './model-collection.js';
import { embeddedText } from './model-embedding.js';
import { Refusal } from './model-problem.js';
import { projected } from './model-projection.js';
import { keyOf, nodeText } from './model-value.js';
import { createCommand, type Scenario } from './random-commands.js';
import { checkBest, checkFused, vectorScores, wordScores } from './ranked-searches.js';

/** Sends a body to a path below `/v1/default_keyspace`, and gives the text of the reply. */
export type Send = (path: string, body: JsonText) => Promise<string>;

const limits = { maxDepth: 100, maxNumberLength: 10_000 };

function parse(text: JsonText): JsonObject {
  return parseJson(text, limits) as JsonObject; // commands and replies are objects
}

/** The server and the model differ. */
export class Difference extends Error {}

/** A collection on the server and its model. */
export class ScenarioPlayer {
  readonly #send: Send;
  readonly #scenario: Scenario;
  readonly #name: string;
  readonly #model: ModelCollection;
  #state: State = new Map();
  #next = 0;
  /** Commands that were sent, with those that read the documents. */
  sent = 0;
  /** Documents in the replies of finds. */
  found = 0;

  constructor(scenario: Scenario, name: string, send: Send) {
    this.#scenario = scenario;
    this.#name = name;
    this.#send = send;
    this.#model = new ModelCollection(scenario.indexing, scenario.hasService);
  }

  async create(): Promise<void> {
    const reply = await this.#send('', createCommand(this.#scenario, this.#name));
    assert.equal(reply, '{"status":{"ok":1}}');
  }

  async remove(): Promise<void> {
    await this.#send('', JSON.stringify({ deleteCollection: { name: this.#name } }));
  }

  /** Plays so many commands, or those that are left. @throws Difference */
  async play(count: number): Promise<void> {
    for (const body of this.#scenario.commands.slice(this.#next, this.#next + count)) {
      this.#next += 1;
      await this.#playOne(body);
    }
  }

  /** Compares all documents. @throws Difference */
  async compareDocuments(): Promise<void> {
    const stored = await this.#documents();
    if (stateText(stored) !== stateText(this.#state))
      throw new Difference(
        `the documents are\n${stateText(stored)}\nand should be\n${stateText(this.#state)}`,
      );
  }

  async #ask(body: JsonText): Promise<JsonObject> {
    this.sent += 1;
    return parse(await this.#send(`/${this.#name}`, body));
  }

  async #playOne(body: JsonText): Promise<void> {
    for (const [name, clauses] of parse(body)) {
      const command = clauses as JsonObject;
      if (name === 'updateMany') await this.#updateMany(command, body);
      else if (name === 'deleteMany') await this.#deleteMany(command, body);
      else if (name === 'findAndRerank' || isSearch(memberOf(command, 'sort')))
        await this.#search(name, command, body);
      else if (name === 'find' && (memberOf(command, 'sort')?.size ?? 0) === 0)
        await this.#findAll(command, body);
      else await this.#single(name, command, body);
    }
  }

  async #single(name: string, command: JsonObject, body: JsonText): Promise<void> {
    const reply = await this.#ask(body);
    this.found += documentsOf(reply).length;
    const shown = replyText(reply);
    const outcomes = this.#model.outcomes(this.#state, name, command, madeIds(reply));
    const possible = outcomes.filter((outcome) => replyText(outcome.reply as JsonObject) === shown);
    await this.#choose(
      possible,
      () => `${body}\nthe reply is\n${shown}\nand should be\n${expected(outcomes)}`,
    );
  }

  /** Several outcomes with this reply differ in the documents. */
  async #choose(possible: readonly Outcome[], difference: () => string): Promise<void> {
    const [first] = possible;
    if (first === undefined) throw new Difference(difference());
    if (possible.every(({ state }) => state === first.state)) {
      this.#state = first.state;
      return;
    }
    if (possible.length === 1) {
      this.#state = first.state;
      return;
    }
    const stored = stateText(await this.#documents());
    const chosen = possible.find(({ state }) => stateText(state) === stored);
    if (chosen === undefined) throw new Difference(`${difference()}\nthe documents are then\n${stored}`);
    this.#state = chosen.state;
  }

  /** All pages, in any order; with a limit, some of the documents. */
  async #findAll(command: JsonObject, body: JsonText): Promise<void> {
    const expectedTexts = this.#tryModel(() => {
      const projection = memberOf(command, 'projection');
      const matching = this.#model.matching(this.#state, command);
      projected(new Map(), projection);
      return matching.map((each) => nodeText(projected(each, projection)));
    });
    const texts: string[] = [];
    let pageState: JsonValue = null;
    do {
      const reply = await this.#ask(withPageState('find', command, pageState));
      if (typeof expectedTexts === 'string') return this.#sameCode(reply, expectedTexts, body);
      const page = documentsOf(reply);
      if (reply.has('errors') || page.length > 50) throw new Difference(`${body}\n${stringifyJson(reply)}`);
      texts.push(...page.map(nodeText));
      pageState = memberOf(reply, 'data')?.get('nextPageState') ?? null;
    } while (pageState !== null);
    this.found += texts.length;
    if (typeof expectedTexts === 'string') return;
    const limit = countOf(memberOf(command, 'options')?.get('limit'), Number.POSITIVE_INFINITY);
    const isRight = texts.length === Math.min(limit, expectedTexts.length) && isPartOf(texts, expectedTexts);
    if (!isRight) {
      const lines = [body, 'the documents are', ...texts, `and should be ${limit} of`, ...expectedTexts];
      throw new Difference(lines.join('\n'));
    }
  }

  /** Finds by vector, by words or by both, with all members of the documents. */
  async #search(name: string, command: JsonObject, body: JsonText): Promise<void> {
    const matching = this.#tryModel(() => this.#model.matching(this.#state, command));
    const reply = await this.#ask(body);
    if (typeof matching === 'string') return this.#sameCode(reply, matching, body);
    this.found += documentsOf(reply).length;
    const sort = memberOf(command, 'sort') ?? new Map();
    const { vector, words, passage } = searched(sort, command);
    const options = memberOf(command, 'options');
    const limit = countOf(options?.get('limit'), 0);
    const byWords = wordScores(this.#state, matching, String(words));
    const byVector = vectorScores(matching, vector);
    try {
      assert.ok(!reply.has('errors'));
      if (name === 'find')
        checkBest(documentsOf(reply), vector === null ? byWords : byVector, limit, this.#state);
      else {
        const given = memberOf(options ?? new Map(), 'hybridLimits');
        const limits = {
          vector: countOf(given?.get('$vector'), 0),
          words: countOf(given?.get('$lexical'), 0),
        };
        checkFused(reply, { byVector, byWords, limits, limit, passage }, this.#state);
      }
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error;
      throw new Difference(`${body}\n${error.message}\nthe reply is\n${stringifyJson(reply)}`);
    }
  }

  #tryModel<Result>(work: () => Result): Result | string {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.message;
    }
  }

  #sameCode(reply: JsonObject, code: string, body: JsonText): void {
    if (codesOf(reply).join() !== code)
      throw new Difference(
        `${body}\nthe reply is\n${stringifyJson(reply)}\nand should be refused with ${code}`,
      );
  }

  async #updateMany(command: JsonObject, body: JsonText): Promise<void> {
    const matching = this.#tryModel(() => {
      const found = this.#model.matching(this.#state, command);
      this.#model.checkUpdate(command);
      return found;
    });
    if (typeof matching === 'string') return this.#sameCode(await this.#ask(body), matching, body);
    if (matching.length === 0) return this.#single('updateOne', command, body);
    const changes = matching.map((each) => this.#tryModel(() => this.#model.changedBy(command, each)));
    const failures = changes.filter((each) => typeof each === 'string');
    let [matched, modified] = [0, 0];
    let pageState: JsonValue = null;
    let reply: JsonObject;
    do {
      reply = await this.#ask(withPageState('updateMany', command, pageState));
      const status = memberOf(reply, 'status');
      matched += countOf(status?.get('matchedCount'), 0);
      modified += countOf(status?.get('modifiedCount'), 0);
      pageState = status?.get('nextPageState') ?? null;
    } while (pageState !== null && !reply.has('errors'));
    const next = new Map(this.#state);
    for (const [at, document] of matching.entries()) {
      const change = changes[at];
      if (typeof change === 'object' && change.isChanged)
        next.set(keyOf(document.get('_id') ?? null), change.document);
    }
    if (failures.length > 0) return this.#partlyUpdated(reply, failures, next, body);
    const wanted = [
      matching.length,
      changes.filter((each) => typeof each === 'object' && each.isChanged).length,
    ];
    if (reply.has('errors') || matched !== wanted[0] || modified !== wanted[1])
      throw new Difference(
        `${body}\n${stringifyJson(reply)}\nin all ${matched}, ${modified}, should be ${wanted}`,
      );
    this.#state = next;
  }

  /** An update that a document refuses ends there: each of the others is as before, or changed. */
  async #partlyUpdated(
    reply: JsonObject,
    codes: readonly string[],
    next: State,
    body: JsonText,
  ): Promise<void> {
    const [code = ''] = codesOf(reply);
    if (!codes.includes(code)) throw new Difference(`${body}\n${stringifyJson(reply)}\nshould have ${codes}`);
    const stored = await this.#documents();
    for (const [key, document] of stored) {
      const texts = [this.#state.get(key), next.get(key)].map((each) => each && nodeText(each));
      if (!texts.includes(nodeText(document)))
        throw new Difference(`${body}\n${nodeText(document)}\nshould be one of\n${texts.join('\n')}`);
    }
    if (stored.size !== this.#state.size) throw new Difference(`${body}\n${stored.size} documents are left`);
    this.#state = new Map([...stored]);
  }

  async #deleteMany(command: JsonObject, body: JsonText): Promise<void> {
    const matching = this.#tryModel(() => this.#model.matching(this.#state, command));
    if (typeof matching === 'string') return this.#sameCode(await this.#ask(body), matching, body);
    const isAll = (memberOf(command, 'filter')?.size ?? 0) === 0;
    let left = matching.length;
    for (;;) {
      const reply = await this.#ask(body);
      const deleted = isAll ? -1 : Math.min(20, left);
      left -= isAll ? left : deleted;
      const status = objectOf({ deletedCount: numberOf(deleted), ...(left > 0 ? { moreData: true } : {}) });
      if (replyText(reply) !== replyText(objectOf({ status })))
        throw new Difference(`${body}\n${stringifyJson(reply)}\nshould have ${stringifyJson(status)}`);
      if (left === 0) break;
    }
    const gone = new Set(matching.map((each) => keyOf(each.get('_id') ?? null)));
    this.#state = new Map([...this.#state].filter(([key]) => !gone.has(key)));
  }

  async #documents(): Promise<State> {
    const state = new Map<string, JsonObject>();
    let pageState: JsonValue = null;
    do {
      const command = objectOf({ projection: objectOf({ '*': numberOf(1) }) });
      const reply = await this.#ask(withPageState('find', command, pageState));
      for (const document of documentsOf(reply)) {
        const key = keyOf(document.get('_id') ?? null);
        if (state.has(key)) throw new Difference(`${key} is there twice`);
        state.set(key, document);
      }
      pageState = memberOf(reply, 'data')?.get('nextPageState') ?? null;
    } while (pageState !== null);
    return state;
  }
}

function isSearch(sort: JsonObject | undefined): boolean {
  return ['$vector', '$vectorize', '$lexical'].some((name) => sort?.has(name) === true);
}

/** What a sort searches for, and the member that a reranked search compares. */
function searched(sort: JsonObject, command: JsonObject) {
  const hybrid = sort.get('$hybrid');
  const parts: JsonObject =
    typeof hybrid === 'string'
      ? objectOf({ $vectorize: hybrid, $lexical: hybrid })
      : (memberOf(sort, '$hybrid') ?? sort);
  const text = parts.get('$vectorize');
  const vector = text === undefined ? (parts.get('$vector') ?? null) : embeddedText(text);
  const passage = memberOf(command, 'options')?.get('rerankOn') ?? '$vectorize';
  return { vector, words: parts.get('$lexical') ?? null, passage: String(passage) };
}

function isPartOf(texts: readonly string[], all: readonly string[]): boolean {
  const left = [...all];
  return texts.every((text) => {
    const place = left.indexOf(text);
    if (place !== -1) left.splice(place, 1);
    return place !== -1;
  });
}

function withPageState(name: string, command: JsonObject, pageState: JsonValue): JsonText {
  if (pageState === null) return stringifyJson(new Map([[name, command]]));
  const options = new Map([...(memberOf(command, 'options') ?? []), ['pageState', pageState] as const]);
  return stringifyJson(new Map([[name, new Map([...command, ['options', options] as const])]]));
}

function documentsOf(reply: JsonObject): readonly JsonObject[] {
  const documents = memberOf(reply, 'data')?.get('documents') ?? null;
  return isJsonArray(documents) ? (documents as readonly JsonObject[]) : [];
}

function codesOf(reply: JsonObject): readonly string[] {
  const errors = reply.get('errors') ?? null;
  if (!isJsonArray(errors)) return [];
  return errors.map((error) =>
    typeof error === 'string' ? error : String((error as JsonObject).get('errorCode')),
  );
}

/** Ids that the reply shows, in their order; some of them the server has made. */
function madeIds(reply: JsonObject): readonly JsonValue[] {
  const status = memberOf(reply, 'status');
  const upserted = status?.get('upsertedId');
  if (upserted !== undefined) return [upserted];
  const inserted = status?.get('insertedIds');
  if (inserted !== undefined) return inserted as readonly JsonValue[];
  const responses = (status?.get('documentResponses') ?? []) as readonly JsonObject[];
  return responses.map((each) => each.get('_id') ?? null);
}

/** The parts of a reply that are compared: members of `status` in any order, errors by their codes. */
function replyText(reply: JsonObject): string {
  const sorted = (object: JsonObject): string =>
    [...object]
      .map(([name, value]) => `${name}:${value instanceof Map ? sorted(value) : listText(value)}`)
      .sort()
      .join(' ');
  const listText = (value: JsonValue): string =>
    isJsonArray(value) && value.some((each) => each instanceof Map && each.has('status'))
      ? value.map((each) => sorted(each as JsonObject)).join(',')
      : nodeText(value);
  const data = reply.get('data');
  return [
    `data ${data === undefined ? '' : nodeText(data)}`,
    `status ${sorted(memberOf(reply, 'status') ?? new Map())}`,
    `errors ${codesOf(reply).join()}`,
  ].join('\n');
}

function stateText(state: State): string {
  const texts = [...state].map(([key, document]) => `${key}: ${nodeText(document)}`);
  return texts.sort().join('\n');
}

function expected(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ reply }) => replyText(reply as JsonObject)).join('\nor\n');
}
