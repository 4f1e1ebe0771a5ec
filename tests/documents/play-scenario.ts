// Sends the commands of a scenario to two engines and compares their replies, and then their documents. Where a command
// may choose among documents, the second engine follows the choice of the first one.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import { createCommand, type Scenario } from './random-commands.js';
import { parseObject, RoutesOfScenario } from './routes-of-scenario.js';

/** The engines differ. */
export class Difference extends Error {}

/** The texts of documents by those of their ids. */
type Documents = ReadonlyMap<JsonText, JsonText>;

/** One command deletes at most so many documents. */
const mostDeleted = 20;
/** A collection of a scenario has far fewer documents than so many commands delete. */
const mostReplies = 100;
/** A search has at most so many documents. */
const mostRanked = 1_000;
/** Commands on one document, which choose among those that match if there is no sort. */
const choosing = [
  ...['findOne', 'updateOne', 'deleteOne'],
  ...['findOneAndUpdate', 'findOneAndReplace', 'findOneAndDelete'],
];

/** A collection on an engine, and on its model. */
export class ScenarioPlayer {
  readonly #scenario: Scenario;
  readonly #name: string;
  #side: RoutesOfScenario;
  readonly #model: RoutesOfScenario;
  #next = 0;
  /** Commands that were sent to the engine, with those that read the documents. */
  sent = 0;
  /** Documents in the replies of its finds. */
  found = 0;

  constructor(scenario: Scenario, name: string, engine: Engine, model: Engine) {
    this.#scenario = scenario;
    this.#name = name;
    this.#side = new RoutesOfScenario(engine, name);
    this.#model = new RoutesOfScenario(model, name);
  }

  /** Continues on the engine after it was opened again. */
  moveTo(engine: Engine): void {
    this.#side = new RoutesOfScenario(engine, this.#name);
  }

  async create(): Promise<void> {
    const command = createCommand(this.#scenario, this.#name);
    for (const each of [this.#side, this.#model])
      assert.equal(await each.sendToKeyspace(command), '{"status":{"ok":1}}');
  }

  async remove(): Promise<void> {
    const command = JSON.stringify({ deleteCollection: { name: this.#name } });
    for (const each of [this.#side, this.#model]) await each.sendToKeyspace(command);
  }

  /** Plays so many commands, or those that are left. @throws Difference */
  async play(count: number): Promise<void> {
    for (const body of this.#scenario.commands.slice(this.#next, this.#next + count)) {
      this.#next += 1;
      await this.#playOne(body);
    }
  }

  /** Compares all documents, and finds by values that they have. @throws Difference */
  async compareDocuments(): Promise<void> {
    const [own, expected] = [await this.#documents(this.#side), await this.#documents(this.#model)];
    refuseUnless([...own.values()].sort().join('\n') === [...expected.values()].sort().join('\n'), () => [
      ...['the documents are', ...own.values()],
      ...['and should be', ...expected.values()],
    ]);
    const values = new Map([...expected.values()].flatMap((text) => [...parseObject(text)]));
    for (const [name, value] of values) {
      if (name.startsWith('$') || isJsonArray(value) || (value !== null && isJsonObject(value))) continue;
      const command = new Map([['filter', new Map([[name.replaceAll(/[.&]/g, '&$&'), value]])]]);
      await this.#findAll(command, `find by ${name}: ${stringifyJson(value)}`);
    }
  }

  async #playOne(body: JsonText): Promise<void> {
    const [[name, clauses] = ['', null]] = [...parseObject(body)];
    const command = clauses as JsonObject; // as the scenario makes it
    const sort = memberOf(command, 'sort');
    if (name === 'deleteMany') return this.#deleteMany(body);
    if (name === 'find' && isByVector(sort)) return this.#findNearest(command, body);
    // Any of equally similar documents can be the nearest one.
    if (isByVector(sort) && isTied(await this.#ranking(command), 1)) return;
    if (name === 'findAndRerank') return this.#rerank(command, body);
    if (isSearch(sort)) return this.#search(body);
    if (name === 'find' && (sort?.size ?? 0) === 0) return this.#findAll(command, body);
    const isChoice = name === 'updateMany' || (choosing.includes(name) && (sort?.size ?? 0) === 0);
    const ids = isChoice ? await this.#matchingIds(command) : [];
    if (name === 'updateMany' && ids.length > 0) return this.#updateMany(command, body, ids);
    if (ids.length > 1) return this.#chooseOne(name, command, body, ids);
    const [own, expected] = [await this.#send(body), await this.#sendToModel(body)];
    refuseUnless(own === expected, () => [body, own, expected]);
  }

  async #send(body: JsonText): Promise<JsonText> {
    this.sent += 1;
    const reply = await this.#side.send(this.#next, body);
    this.found += documentsOf(reply).length;
    return reply;
  }

  #sendToModel(body: JsonText): Promise<JsonText> {
    return this.#model.send(this.#next, body);
  }

  /** All pages, in any order; with a limit, some of the documents. */
  async #findAll(command: JsonObject, body: JsonText): Promise<void> {
    const options = new Map([...(memberOf(command, 'options') ?? [])].filter(([name]) => name !== 'limit'));
    const own = await pagesOf('find', command, (each) => this.#send(each));
    const expected = await pagesOf('find', new Map([...command, ['options', options] as const]), (each) =>
      this.#sendToModel(each),
    );
    const [last = ''] = own.slice(-1);
    if (hasErrors(last)) return refuseUnless(last === expected.at(-1), () => [body, last, ...expected]);
    const [texts, all] = [
      own.flatMap(documentsOf).map(stringifyJson),
      expected.flatMap(documentsOf).map(stringifyJson),
    ];
    const limit = memberOf(command, 'options')?.get('limit');
    const count = Math.min(limit instanceof JsonNumber ? Number(limit.text) : all.length, all.length);
    refuseUnless(texts.length === count && isPartOf(texts, all), () => [
      ...[body, 'the documents are', ...texts],
      ...[`and should be ${count} of`, ...all, ...expected.filter(hasErrors)],
    ]);
  }

  /** The nearest documents come in the same order; of those that the limit separates from equal ones, any may come. */
  async #findNearest(command: JsonObject, body: JsonText): Promise<void> {
    const [own, expected] = [await this.#send(body), await this.#sendToModel(body)];
    const [texts, count] = [documentsOf(own).map(withoutSimilarity), documentsOf(expected).length];
    const ranking = own === expected ? [] : await this.#ranking(command);
    if (!isTied(ranking, count)) return refuseUnless(own === expected, () => [body, own, expected]);
    const last = similarityOf(ranking[count - 1]);
    const [nearer, equal] = [
      ranking.filter((each) => Number(similarityOf(each)) > Number(last)).map(withoutSimilarity),
      ranking.filter((each) => similarityOf(each) === last).map(withoutSimilarity),
    ];
    const chosen = equal.filter((text) => texts.slice(nearer.length).includes(text));
    const isRight = texts.length === count && texts.join('\n') === [...nearer, ...chosen].join('\n');
    refuseUnless(isRight, () => [body, own, expected]);
  }

  /** All documents that the model finds by a search, with their similarity; none if it refuses the search. */
  async #ranking(command: JsonObject): Promise<readonly JsonObject[]> {
    const options = new Map<string, JsonValue>([
      ['limit', new JsonNumber(String(mostRanked))],
      ['includeSimilarity', true],
    ]);
    const clauses = [...command].filter(([name]) => ['filter', 'sort', 'projection'].includes(name));
    const read = new Map<string, JsonValue>([...clauses, ['options', options]]);
    return documentsOf(await this.#sendToModel(stringifyJson(new Map([['find', read]]))));
  }

  /** Searches give the same documents in the same order. */
  async #search(body: JsonText): Promise<void> {
    const [own, expected] = [await this.#send(body), await this.#sendToModel(body)];
    refuseUnless(own === expected, () => [body, own, expected]);
  }

  /** Where the limit of the vectors separates equally similar documents, any of them are ranked. */
  async #rerank(command: JsonObject, body: JsonText): Promise<void> {
    const [own, expected] = [await this.#send(body), await this.#sendToModel(body)];
    if (own === expected) return;
    const [hybrid, limits] = [
      memberOf(command, 'sort')?.get('$hybrid') ?? null,
      memberOf(memberOf(command, 'options') ?? new Map(), 'hybridLimits'),
    ];
    const parts = isJsonObject(hybrid) ? [...hybrid] : [['$vectorize', hybrid] as const];
    const sort = new Map(parts.filter(([part]) => part !== '$lexical'));
    const ranking = await this.#ranking(new Map([...command, ['sort', sort] as const]));
    const limit = limits?.get('$vector') ?? null;
    const isOpen = isTied(ranking, limit instanceof JsonNumber ? Number(limit.text) : 0);
    refuseUnless(isOpen && !hasErrors(own) && !hasErrors(expected), () => [body, own, expected]);
  }

  /** Any of the documents of these ids was chosen. */
  async #chooseOne(
    name: string,
    command: JsonObject,
    body: JsonText,
    ids: readonly JsonValue[],
  ): Promise<void> {
    const before = await this.#documents(this.#model);
    const own = await this.#send(body);
    const changed = differing(await this.#documents(this.#side), before);
    refuseUnless(changed.length <= 1, () => [body, own, `${changed.length} documents are changed`]);
    const chosen = changed.length === 1 ? ids.filter((id) => changed.includes(stringifyJson(id))) : ids;
    const replies: JsonText[] = [];
    for (const id of chosen) {
      const filter = new Map([['_id', id]]);
      const restricted = new Map([[name, new Map([...command, ['filter', filter] as const])]]);
      replies.push(await this.#sendToModel(stringifyJson(restricted)));
      if (replies.at(-1) === own) break;
    }
    refuseUnless(replies.at(-1) === own, () => [body, own, ...replies]);
    // The wrong documents that were tried are changed only in the model.
    if (chosen.length > 1) await this.#removeDiffering();
  }

  /** A document that refuses the update ends it: then each of the others is as before, or changed. */
  async #updateMany(command: JsonObject, body: JsonText, ids: readonly JsonValue[]): Promise<void> {
    const before = await this.#documents(this.#model);
    const own = await pagesOf('updateMany', command, (each) => this.#send(each));
    const update = command.get('update') ?? null;
    const replies: JsonText[] = [];
    for (const id of ids) {
      const one = new Map<string, JsonValue>([
        ['filter', new Map([['_id', id]])],
        ['update', update],
      ]);
      replies.push(await this.#sendToModel(stringifyJson(new Map([['updateOne', one]]))));
    }
    const [last = ''] = own.slice(-1);
    const isSame = hasErrors(last)
      ? replies.some((reply) => codesOf(reply) === codesOf(last))
      : countsOf(own) === countsOf(replies) && !replies.some(hasErrors);
    refuseUnless(isSame, () => [body, ...own, ...replies]);
    if (!hasErrors(last)) return;
    const [stored, changed] = [await this.#documents(this.#side), await this.#documents(this.#model)];
    for (const id of differing(stored, changed))
      refuseUnless(stored.get(id) === before.get(id), () => [
        body,
        `${stored.get(id)}`,
        `${changed.get(id)}`,
      ]);
    await this.#removeDiffering();
  }

  /** Deletes until no more documents match. */
  async #deleteMany(body: JsonText): Promise<void> {
    const replies = async (send: (body: JsonText) => Promise<JsonText>) => {
      const given = [await send(body)];
      while (given.at(-1)?.includes('"moreData":true') && given.length < mostReplies)
        given.push(await send(body));
      return given.join('\n');
    };
    const [own, expected] = [
      await replies((each) => this.#send(each)),
      await replies((each) => this.#sendToModel(each)),
    ];
    refuseUnless(own === expected, () => [body, own, expected]);
  }

  /** Deletes the documents that differ on both sides, so that the scenario continues with equal ones. */
  async #removeDiffering(): Promise<void> {
    const [own, expected] = [await this.#documents(this.#side), await this.#documents(this.#model)];
    const ids = differing(own, expected);
    for (let at = 0; at < ids.length; at += mostDeleted) {
      const some = ids.slice(at, at + mostDeleted).join(',');
      await this.#deleteMany(`{"deleteMany":{"filter":{"_id":{"$in":[${some}]}}}}`);
    }
  }

  /** The ids of the documents of the model that match; none if it refuses the filter. */
  async #matchingIds(command: JsonObject): Promise<readonly JsonValue[]> {
    const projection = new Map([['_id', new JsonNumber('1')]]);
    const read = new Map<string, JsonValue>([
      ['filter', command.get('filter') ?? new Map()],
      ['projection', projection],
    ]);
    const pages = await pagesOf('find', read, (each) => this.#sendToModel(each));
    return pages.flatMap(documentsOf).map((document) => document.get('_id') ?? null);
  }

  async #documents(side: RoutesOfScenario): Promise<Documents> {
    const everything = new Map([['projection', new Map([['*', new JsonNumber('1')]])]]);
    const pages = await pagesOf('find', everything, (each) => side.send(this.#next, each));
    const all = pages.flatMap(documentsOf);
    const documents = new Map(
      all.map((each) => [stringifyJson(each.get('_id') ?? null), stringifyJson(each)]),
    );
    refuseUnless(documents.size === all.length, () => ['a document is there twice', ...pages]);
    return documents;
  }
}

/** @throws Difference */
function refuseUnless(isRight: boolean, lines: () => readonly string[]): void {
  if (!isRight) throw new Difference(lines().join('\n'));
}

/** The replies to a command and to the same with the page state of each reply, up to the last page. */
async function pagesOf(
  name: string,
  command: JsonObject,
  send: (body: JsonText) => Promise<JsonText>,
): Promise<readonly JsonText[]> {
  const replies: JsonText[] = [];
  let pageState: JsonValue = null;
  do {
    const options = new Map([...(memberOf(command, 'options') ?? []), ['pageState', pageState] as const]);
    const page = pageState === null ? command : new Map([...command, ['options', options] as const]);
    const reply = await send(stringifyJson(new Map([[name, page]])));
    replies.push(reply);
    const parts = parseObject(reply);
    pageState = [memberOf(parts, 'data'), memberOf(parts, 'status')].reduce<JsonValue>(
      (found, part) => found ?? part?.get('nextPageState') ?? null,
      null,
    );
  } while (pageState !== null);
  return replies;
}

/** A member that is an object. */
function memberOf(object: JsonObject, name: string): JsonObject | undefined {
  const member = object.get(name) ?? null;
  return member !== null && isJsonObject(member) ? member : undefined;
}

function documentsOf(reply: JsonText): readonly JsonObject[] {
  const documents = memberOf(parseObject(reply), 'data')?.get('documents') ?? null;
  return isJsonArray(documents) ? (documents as readonly JsonObject[]) : [];
}

function isSearch(sort: JsonObject | undefined): boolean {
  return ['$vector', '$vectorize', '$lexical'].some((name) => sort?.has(name) === true);
}

function isByVector(sort: JsonObject | undefined): boolean {
  return sort?.has('$vector') === true || sort?.has('$vectorize') === true;
}

/** Whether the last one of so many documents is as similar as the next one. */
function isTied(ranking: readonly JsonObject[], count: number): boolean {
  const [last, next] = ranking.slice(Math.max(0, count - 1));
  return count > 0 && next !== undefined && similarityOf(last) === similarityOf(next);
}

function similarityOf(document: JsonObject | undefined): JsonText {
  return stringifyJson(document?.get('$similarity') ?? null);
}

function withoutSimilarity(document: JsonObject): JsonText {
  return stringifyJson(new Map([...document].filter(([name]) => name !== '$similarity')));
}

function hasErrors(reply: JsonText): boolean {
  return parseObject(reply).has('errors');
}

function codesOf(reply: JsonText): string {
  return (reply.match(/"errorCode":"\w+"/g) ?? []).join();
}

/** The sums of the counts of replies to updates. */
function countsOf(replies: readonly JsonText[]): string {
  const sumOf = (name: string) =>
    replies.reduce((sum, reply) => sum + Number(new RegExp(`"${name}":(\\d+)`).exec(reply)?.[1] ?? 0), 0);
  return `${sumOf('matchedCount')} matched, ${sumOf('modifiedCount')} modified`;
}

/** The ids of documents that only one side has, or that differ. */
function differing(left: Documents, right: Documents): readonly JsonText[] {
  return [...new Set([...left.keys(), ...right.keys()])].filter((id) => left.get(id) !== right.get(id));
}

function isPartOf(texts: readonly string[], all: readonly string[]): boolean {
  const left = [...all];
  return texts.every((text) => {
    const place = left.indexOf(text);
    if (place !== -1) left.splice(place, 1);
    return place !== -1;
  });
}
