// A collection in memory that answers commands as the contract says: what random commands are compared with.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { checkedDocument } from './model-document.js';
import { expandedHybrid, vectorized } from './model-embedding.js';
import { filterTest, isFindable, type ModelIndexing } from './model-filter.js';
import { Refusal, refuse } from './model-problem.js';
import { projected } from './model-projection.js';
import { checkUpdate, seedOf, updated } from './model-update.js';
import { find, keyOf, kindOf, type Members, nodeText, order, partsOf, wrapperOf } from './model-value.js';

/** The documents of a collection by their keys, in the order of their insertion. */
export type State = ReadonlyMap<string, Members>;

/** A reply that is possible, and the documents behind it. Errors are their codes. */
export interface Outcome {
  readonly reply: JsonValue;
  readonly state: State;
}

/** The members of a command. */
export type Clauses = JsonObject;

/** What the model cannot know: ids that the server made, in their order. */
export type MadeIds = readonly JsonValue[];

/** A JSON number. */
export function numberOf(value: number): JsonNumber {
  return new JsonNumber(String(value));
}

/** A JSON object. */
export function objectOf(members: Readonly<Record<string, JsonValue>>): Members {
  return new Map(Object.entries(members));
}

/** Answers commands; it does not change, but names the states that are possible. */
export class ModelCollection {
  readonly #indexing: ModelIndexing | undefined;
  readonly #hasService: boolean;

  /** `hasService`: whether the collection embeds texts. */
  constructor(indexing: ModelIndexing | undefined, hasService: boolean) {
    this.#indexing = indexing;
    this.#hasService = hasService;
  }

  /** The documents that match. @throws Refusal */
  matching(state: State, command: Clauses): readonly Members[] {
    const test = filterTest(memberOf(command, 'filter'), this.#indexing);
    return [...state.values()].filter(test);
  }

  /** The documents in the order of the sort; undefined if there is none. @throws Refusal */
  sorted(documents: readonly Members[], command: Clauses): readonly Members[] | undefined {
    const sort = memberOf(command, 'sort');
    if (sort === undefined || sort.size === 0) return undefined;
    const keys = [...sort].map(([path, direction]) => {
      if (!isFindable(path, this.#indexing)) refuse('SORT_CLAUSE_PATH_UNINDEXED');
      return [partsOf(path), Number((direction as JsonNumber).text)] as const;
    });
    return [...documents].sort((left, right) => {
      for (const [parts, direction] of keys) {
        const found = order(find(left, parts), find(right, parts));
        if (found !== 0) return found * direction;
      }
      return order(left.get('_id'), right.get('_id'));
    });
  }

  /** The replies that are possible. A refused command gives its code. */
  outcomes(state: State, name: string, command: Clauses, made: MadeIds): readonly Outcome[] {
    try {
      return this.#outcomes(state, name, command, made);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return [{ reply: objectOf({ errors: [error.message] }), state }];
    }
  }

  #outcomes(state: State, name: string, command: Clauses, made: MadeIds): readonly Outcome[] {
    switch (name) {
      case 'insertOne':
        return [insertOne(state, this.#prepared([command.get('document') ?? null])[0] ?? null, made)];
      case 'insertMany':
        return [insertMany(state, this.#prepared(listOf(command, 'documents')), command, made)];
      case 'countDocuments':
        return [this.#count(state, command)];
      case 'estimatedDocumentCount':
        return [{ reply: statusOf({ count: numberOf(state.size) }), state }];
      case 'find':
        return [this.#find(state, command)];
      default:
        return this.#one(state, name, command, made);
    }
  }

  /** The documents of an insert as they are stored. @throws Refusal of the whole command */
  #prepared(documents: readonly JsonValue[]): readonly JsonValue[] {
    const change = (list: readonly JsonValue[], work: (document: Members) => Members) =>
      list.map((each) => (each !== null && kindOf(each) === 'object' ? work(each as Members) : each));
    return change(change(documents, expandedHybrid), (each) => vectorized(each, this.#hasService));
  }

  /** What can be refused without a document. @throws Refusal */
  checkUpdate(command: Clauses): void {
    const update = memberOf(command, 'update');
    if (update !== undefined) checkUpdate(update, this.#hasService);
  }

  #count(state: State, command: Clauses): Outcome {
    const { length } = this.matching(state, command);
    const count = numberOf(Math.min(length, 1_000));
    return { reply: statusOf(length > 1_000 ? { count, moreData: true } : { count }), state };
  }

  /** Sorted finds, which have one page. */
  #find(state: State, command: Clauses): Outcome {
    const found = this.sorted(this.matching(state, command), command) ?? [];
    const options = memberOf(command, 'options');
    const skip = countOf(options?.get('skip'), 0);
    const limit = Math.min(countOf(options?.get('limit'), 50), 50);
    const projection = memberOf(command, 'projection');
    projected(new Map(), projection);
    const documents = found.slice(skip, skip + limit).map((each) => projected(each, projection));
    return { reply: objectOf({ data: objectOf({ documents, nextPageState: null }) }), state };
  }

  /** Commands on the first document, which can be any of those that match if there is no sort. */
  #one(state: State, name: string, given: Clauses, made: MadeIds): readonly Outcome[] {
    const all = this.matching(state, given);
    const found = this.sorted(all, given)?.slice(0, 1) ?? all;
    projected(new Map(), memberOf(given, 'projection'));
    this.checkUpdate(given);
    const command = this.#withVectorized(given);
    if (found.length > 0)
      return found.map((document) => attempt(state, () => this.#change(state, name, command, document)));
    switch (name) {
      case 'findOne':
        return [{ reply: objectOf({ data: objectOf({ document: null }) }), state }];
      case 'deleteOne':
        return [{ reply: statusOf({ deletedCount: numberOf(0) }), state }];
      case 'findOneAndDelete':
        return [{ reply: withDocument(null, { deletedCount: numberOf(0) }), state }];
      default:
        return [this.#upsert(state, name, command, made)];
    }
  }

  /** With the vector of the replacement. @throws Refusal */
  #withVectorized(command: Clauses): Clauses {
    const replacement = memberOf(command, 'replacement');
    if (replacement === undefined) return command;
    const whole = vectorized(checkedDocument(replacement), this.#hasService);
    return new Map([...command, ['replacement', whole] as const]);
  }

  #change(state: State, name: string, command: Clauses, document: Members): Outcome {
    const projection = memberOf(command, 'projection');
    const key = keyOf(document.get('_id') ?? null);
    const rest = new Map([...state].filter(([each]) => each !== key));
    switch (name) {
      case 'findOne':
        return { reply: objectOf({ data: objectOf({ document: projected(document, projection) }) }), state };
      case 'deleteOne':
        return { reply: statusOf({ deletedCount: numberOf(1) }), state: rest };
      case 'findOneAndDelete':
        return {
          reply: withDocument(projected(document, projection), { deletedCount: numberOf(1) }),
          state: rest,
        };
      default: {
        const { document: next, isChanged } = changed(command, document);
        const counts = { matchedCount: numberOf(1), modifiedCount: numberOf(isChanged ? 1 : 0) };
        const after = new Map(state).set(key, isChanged ? next : document);
        if (name === 'updateOne') return { reply: statusOf(counts), state: after };
        const image = wantsAfter(command) && isChanged ? next : document;
        return { reply: withDocument(projected(image, projection), counts), state: after };
      }
    }
  }

  #upsert(state: State, name: string, command: Clauses, made: MadeIds): Outcome {
    const none = { matchedCount: numberOf(0), modifiedCount: numberOf(0) };
    const isAfter = wantsAfter(command);
    const replyOf = (status: Readonly<Record<string, JsonValue>>, document: JsonValue) =>
      name === 'updateOne' ? statusOf(status) : withDocument(document, status);
    if (memberOf(command, 'options')?.get('upsert') !== true) return { reply: replyOf(none, null), state };
    const start = newDocument(command);
    const [madeId = '?'] = made;
    const id = start.get('_id');
    const document = checkedDocument(id === undefined ? new Map([['_id', madeId], ...start]) : start);
    const key = keyOf(document.get('_id') ?? null);
    if (state.has(key)) return { reply: replyOf(none, null), state };
    const status = { upsertedId: shownId(document.get('_id') ?? null), ...none };
    const image = isAfter ? projected(document, memberOf(command, 'projection')) : null;
    return { reply: replyOf(status, image), state: new Map(state).set(key, document) };
  }

  /** What updateMany does to a document, as for updateOne. @throws Refusal */
  changedBy(command: Clauses, document: Members) {
    return changed(command, document);
  }
}

function attempt(state: State, work: () => Outcome): Outcome {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { reply: objectOf({ errors: [error.message] }), state };
  }
}

function wantsAfter(command: Clauses): boolean {
  return memberOf(command, 'options')?.get('returnDocument') === 'after';
}

function changed(command: Clauses, document: Members) {
  const replacement = memberOf(command, 'replacement');
  if (replacement === undefined) {
    const next = updated(document, memberOf(command, 'update') ?? new Map(), false);
    return { ...next, document: checkedDocument(next.document) };
  }
  const id = document.get('_id') ?? null;
  const given = replacement.get('_id');
  if (given !== undefined && !isSameId(given, id)) return refuse('DOCUMENT_REPLACE_DIFFERENT_DOCID');
  const rest = [...replacement].filter(([name]) => name !== '_id');
  const next: Members = new Map([['_id', id], ...rest]);
  return { document: next, isChanged: nodeText(next) !== nodeText(document) };
}

/** In a replacement, `{"$uuid": …}` and its text are different ids. */
function isSameId(left: JsonValue, right: JsonValue): boolean {
  return keyOf(left) === keyOf(right) && wrapperOf(left)?.[0] === wrapperOf(right)?.[0];
}

/** The document that an upsert inserts. */
function newDocument(command: Clauses): Members {
  const filter = memberOf(command, 'filter');
  const replacement = memberOf(command, 'replacement');
  const seed = seedOf(filter);
  if (replacement === undefined)
    return updated(seed, memberOf(command, 'update') ?? new Map(), true).document;
  const wanted = seed.get('_id');
  const given = replacement.get('_id');
  if (wanted !== undefined && given !== undefined && !isSameId(wanted, given))
    return refuse('DOCUMENT_REPLACE_DIFFERENT_DOCID');
  const id = wanted ?? given;
  const rest = [...replacement].filter(([name]) => name !== '_id');
  return new Map(id === undefined ? rest : [['_id', id], ...rest]);
}

function insertOne(state: State, document: JsonValue, made: MadeIds): Outcome {
  const none = statusOf({ insertedIds: [] });
  const [madeId = '?'] = made;
  const inserted = tryInsert(state, document, madeId);
  if (typeof inserted === 'string') return { reply: new Map([...none, ['errors', [inserted]]]), state };
  return { reply: statusOf({ insertedIds: [shownId(inserted.id)] }), state: inserted.state };
}

function insertMany(
  before: State,
  documents: readonly JsonValue[],
  command: Clauses,
  made: MadeIds,
): Outcome {
  const options = memberOf(command, 'options');
  const isOrdered = options?.get('ordered') === true;
  const wantsResponses = options?.get('returnDocumentResponses') === true;
  const responses: JsonValue[] = [];
  const ids: JsonValue[] = [];
  const errors: JsonValue[] = [];
  let state = before;
  for (const [at, document] of documents.entries()) {
    // The id of a document without one can be shown, or not.
    const own = idOf(document);
    const known = own === undefined ? madeIdOf(document, made[at]) : own;
    if (isOrdered && errors.length > 0) {
      responses.push(responseOf('SKIPPED', known));
      continue;
    }
    const inserted = tryInsert(state, document, made[wantsResponses ? at : ids.length] ?? '?');
    if (typeof inserted === 'string') {
      responses.push(
        objectOf({ ...membersOf(responseOf('ERROR', known)), errorsIdx: numberOf(errors.length) }),
      );
      errors.push(inserted);
      continue;
    }
    state = inserted.state;
    ids.push(shownId(inserted.id));
    responses.push(responseOf('OK', shownId(inserted.id)));
  }
  const status = statusOf(wantsResponses ? { documentResponses: responses } : { insertedIds: ids });
  if (errors.length === 0) return { reply: status, state };
  return { reply: new Map<string, JsonValue>([...status, ['errors', errors]]), state };
}

function listOf(command: Clauses, name: string): readonly JsonValue[] {
  const list = command.get(name) ?? null;
  return isJsonArray(list) ? list : [];
}

function membersOf(object: Members): Record<string, JsonValue> {
  return Object.fromEntries(object);
}

function responseOf(status: string, id: JsonValue | undefined): Members {
  return id === undefined ? objectOf({ status }) : objectOf({ _id: id, status });
}

/** The id of a document, if it has a valid one. */
function idOf(document: JsonValue): JsonValue | undefined {
  if (document === null || !isJsonObject(document)) return undefined;
  const id = document.get('_id');
  if (id === undefined) return undefined;
  try {
    checkedDocument(new Map([['_id', id]]));
    return shownId(id);
  } catch {
    return undefined;
  }
}

function madeIdOf(document: JsonValue, made: JsonValue | undefined): JsonValue | undefined {
  const hasNone = document !== null && kindOf(document) === 'object' && !(document as Members).has('_id');
  return hasNone ? (made ?? undefined) : undefined;
}

function tryInsert(
  state: State,
  document: JsonValue,
  madeId: JsonValue,
): string | { readonly id: JsonValue; readonly state: State } {
  if (document === null || kindOf(document) !== 'object') return 'SHRED_BAD_DOCUMENT_TYPE';
  try {
    const given = document as Members;
    const whole = checkedDocument(given.has('_id') ? given : new Map([['_id', madeId], ...given]));
    const id = whole.get('_id') ?? null;
    const key = keyOf(id);
    if (state.has(key)) return 'DOCUMENT_ALREADY_EXISTS';
    return { id, state: new Map(state).set(key, whole) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

/** Ids of replies have lower-case texts in their wrappers. */
function shownId(id: JsonValue): JsonValue {
  const [name, content] = wrapperOf(id) ?? [];
  return name !== undefined && typeof content === 'string' ? new Map([[name, content.toLowerCase()]]) : id;
}

function statusOf(status: Readonly<Record<string, JsonValue>>): Members {
  return objectOf({ status: objectOf(status) });
}

function withDocument(document: JsonValue, status: Readonly<Record<string, JsonValue>>): Members {
  return objectOf({ data: objectOf({ document }), status: objectOf(status) });
}

/** A member that is an object. */
export function memberOf(command: Clauses, name: string): JsonObject | undefined {
  const value = command.get(name) ?? null;
  return value !== null && !isJsonArray(value) && isJsonObject(value) ? value : undefined;
}

/** A number of a command or reply. */
export function countOf(value: JsonValue | undefined, usual: number): number {
  return value instanceof JsonNumber ? Number(value.text) : usual;
}
