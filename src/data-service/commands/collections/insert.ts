// insertOne and insertMany on a collection (wire: insertOne, insertMany of documents).
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../../foundation/json/json-value.js';
import { toColumns } from '../../documents/document-columns.js';
import { parseDocumentId } from '../../documents/document-id.js';
import type { IdSource } from '../../documents/new-document-id.js';
import { expandHybrid, readDocument } from '../../documents/read-document.js';
import { toApiError } from '../../engine/client-failure.js';
import type { Engine } from '../../engine/engine.js';
import { EngineError } from '../../engine/engine-error.js';
import { ApiError, apiError, errorOfDocuments } from '../../errors/api-error.js';
import { invalidFieldValue, structureMismatch } from '../../errors/request-problems.js';
import type { DocumentInsertOutcome, StoredDocument } from '../../query/document-write.js';
import { type Collection, collectionColumns } from '../../schema/collection.js';
import { documentRules } from '../../schema/document-rules.js';
import { type CollectionContext, collectionCommand } from '../command.js';
import { type TextToEmbed, textToEmbed } from '../embed-texts.js';
import {
  documentResponses,
  type FailedInsert,
  type InsertResult,
  insertedIds,
  insertManyOptions,
} from '../insert-results.js';
import type { Reply } from '../reply.js';
import { noOptions, object, type Shape } from '../shape.js';
import { idSourceOf, newIdFor } from './new-id.js';
import { textToVectorize, withVector } from './vectorized-document.js';

const mostDocuments = 100;

interface GoodDocument {
  readonly kind: 'good';
  readonly id: JsonText;
  readonly document: StoredDocument;
  readonly content: JsonObject;
}

/** A document before it is stored. */
type Planned =
  | GoodDocument
  | { readonly kind: 'bad'; readonly id: JsonText | undefined; readonly error: ApiError };

interface InsertPlan {
  readonly collection: Collection;
  /** With `$hybrid` expanded. */
  readonly given: readonly JsonValue[];
  /** By the place of their documents. */
  readonly vectors: ReadonlyMap<number, Float32Array>;
  readonly isOrdered: boolean;
  readonly returnDocumentResponses: boolean;
  readonly ids: IdSource;
}

const anyDocument: Shape<JsonValue> = {
  wanted: 'a document',
  read(json, at, problems) {
    if (json === undefined) problems.push(invalidFieldValue(at, json, 'it must not be null'));
    return json ?? null;
  },
};

const someDocuments: Shape<readonly JsonValue[]> = {
  wanted: `an array of 1 to ${mostDocuments} documents`,
  read(json, at, problems) {
    if (json === undefined || json === null) {
      problems.push(invalidFieldValue(at, json, 'it must not be null'));
      return [];
    }
    if (!isJsonArray(json)) throw structureMismatch(at, 'an array of documents', json, '[{"name": "Ada"}]');
    if (json.length === 0 || json.length > mostDocuments) {
      const problem = `amount of documents must be between 1 and ${mostDocuments} (${json.length} vs ${mostDocuments})`;
      problems.push(invalidFieldValue(at, json, problem));
    }
    return json;
  },
};

/** insertOne on a collection. */
export const insertOneDocument = collectionCommand({
  name: 'insertOne',
  help: 'Stores a document; without `_id` it gets one. An `_id` that exists is refused.',
  kind: 'write',
  shape: object({ document: anyDocument, options: noOptions('insertOne') }),
  plan: ({ document }, context): InsertPlan =>
    planInsert([document], context, { isOrdered: true, returnDocumentResponses: false }),
  textsToEmbed: textsOf,
  withEmbeddings: withVectors,
  execute: insertAll,
  respond: respond,
});

/** insertMany on a collection. */
export const insertManyDocuments = collectionCommand({
  name: 'insertMany',
  help: 'Stores 1 to 100 documents. For each one that cannot be stored there is an error; the others are stored. With `ordered` the first failure ends the command.',
  kind: 'write',
  shape: object({
    documents: someDocuments,
    options: insertManyOptions,
  }),
  plan: ({ documents, options: given }, context): InsertPlan => {
    const { ordered: isOrdered, returnDocumentResponses } = given;
    return planInsert(documents, context, { isOrdered, returnDocumentResponses });
  },
  textsToEmbed: textsOf,
  withEmbeddings: withVectors,
  execute: insertAll,
  respond: respond,
});

function planInsert(
  documents: readonly JsonValue[],
  context: CollectionContext,
  choices: Pick<InsertPlan, 'isOrdered' | 'returnDocumentResponses'>,
): InsertPlan {
  const { collection } = context;
  const given = documents.map((document) => (isJsonObject(document) ? expandHybrid(document) : document));
  const hasVector = given.some((document) => isJsonObject(document) && document.has('$vector'));
  if (hasVector && collection.collection.vector === undefined) {
    const { keyspace, name: table } = collection;
    throw apiError('schema', 'VECTOR_SEARCH_NOT_SUPPORTED', { keyspace, table });
  }
  return { collection, given, vectors: new Map(), ...choices, ids: idSourceOf(context) };
}

/** @throws ApiError for a text that cannot be embedded: nothing is stored then */
function textsOf({ given, collection }: InsertPlan): readonly TextToEmbed[] {
  return given.flatMap((document) => {
    const text = isJsonObject(document) ? textToVectorize(document, collection) : undefined;
    return text === undefined ? [] : [textToEmbed(vectorColumn(collection), text, 'passage')];
  });
}

function vectorColumn(collection: Collection) {
  const { vector } = collectionColumns(collection);
  if (vector === undefined)
    throw new TypeError('a text to embed was not refused for a collection without vectors');
  return vector;
}

function withVectors(plan: InsertPlan, vectors: readonly Float32Array[]): InsertPlan {
  const { given, collection } = plan;
  const places = given.flatMap((document, at) =>
    isJsonObject(document) && textToVectorize(document, collection) !== undefined ? [at] : [],
  );
  return { ...plan, vectors: new Map(places.map((place, at) => [place, vectors[at] ?? new Float32Array()])) };
}

async function insertAll(plan: InsertPlan, engine: Engine): Promise<readonly InsertResult[]> {
  const { collection, given, isOrdered } = plan;
  const planned: Planned[] = [];
  for (const [at, document] of given.entries()) {
    const one = planOne(document, plan.vectors.get(at), plan);
    planned.push(one);
    if (isOrdered && one.kind === 'bad') break;
  }
  const good = planned.filter((one) => one.kind === 'good');
  const states = good.length === 0 ? [] : await storedStates(engine, collection, good, isOrdered);
  const next = states.values();
  let hasFailed = false;
  const results = given.map((_, at): InsertResult => {
    const one = planned[at];
    if (one === undefined || (isOrdered && hasFailed))
      return { kind: 'skipped', id: one?.id ?? givenId(given[at]) };
    const result = one.kind === 'bad' ? failed(one.id, one.error) : resultOf(one.id, next.next().value);
    hasFailed ||= result.kind === 'failed';
    return result;
  });
  return results;
}

/** A failure of the storage is that of every document. */
async function storedStates(
  engine: Engine,
  collection: Collection,
  planned: readonly GoodDocument[],
  isOrdered: boolean,
): Promise<readonly DocumentInsertOutcome[]> {
  if (engine.documents === undefined) throw new TypeError('the engine has no collections');
  const documents = planned.map(({ document }) => document);
  const contents = planned.map(({ content }) => content);
  try {
    return await engine.documents.insert({ collection, documents, contents, isOrdered });
  } catch (error) {
    const isOfDocuments =
      error instanceof EngineError && (error.kind === 'writeFailed' || error.kind === 'tooLarge');
    if (!isOfDocuments) throw error;
    return documents.map(() => toApiError(error));
  }
}

function planOne(json: JsonValue, vector: Float32Array | undefined, plan: InsertPlan): Planned {
  const { collection, ids } = plan;
  let id: JsonText | undefined;
  try {
    if (!isJsonObject(json))
      throw apiError('document', 'SHRED_BAD_DOCUMENT_TYPE', { documentType: kindOf(json) });
    const given = withVector(json, vector);
    const whole = given.has('_id') ? given : withId(given, newIdFor(collection, ids));
    // Before the rest, so that its errors can name the document.
    const { key, json: shownId } = parseDocumentId(whole.get('_id') ?? null);
    id = stringifyJson(shownId);
    const read = readDocument(whole, documentRules(collection));
    const document = { key, ...toColumns(read.document, read.vector) };
    return { kind: 'good', id, document, content: read.document };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'bad', id, error };
  }
}

/** The id that a document was sent with, if it is valid. */
function givenId(json: JsonValue | undefined): JsonText | undefined {
  const id = json !== undefined && json !== null && isJsonObject(json) ? json.get('_id') : undefined;
  if (id === undefined) return undefined;
  try {
    return stringifyJson(parseDocumentId(id).json);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function kindOf(json: JsonValue): string {
  return json === null
    ? 'null'
    : isJsonArray(json)
      ? 'array'
      : typeof json === 'object'
        ? 'number'
        : typeof json;
}

function withId(document: JsonObject, id: JsonValue): JsonObject {
  return new Map<string, JsonValue>([['_id', id], ...document]);
}

function resultOf(id: JsonText, state: DocumentInsertOutcome | undefined): InsertResult {
  if (state === 'stored') return { kind: 'stored', id };
  if (state === 'skipped') return { kind: 'skipped', id };
  if (state instanceof ApiError) return failed(id, state);
  // The public API shows a text in single quotes.
  const shownId = id.startsWith('"') ? `'${id.slice(1, -1)}'` : id;
  return failed(id, apiError('document', 'DOCUMENT_ALREADY_EXISTS', { id: shownId }));
}

function failed(id: JsonText | undefined, error: ApiError): FailedInsert {
  return { kind: 'failed', id, error };
}

function respond(results: readonly InsertResult[], { returnDocumentResponses }: InsertPlan): Reply {
  const failures = results.filter((result) => result.kind === 'failed');
  const errors = failures.map(({ id, error }) => (id === undefined ? error : errorOfDocuments(error, [id])));
  const status = returnDocumentResponses
    ? documentResponses(results, (failed) => failures.indexOf(failed))
    : insertedIds(results);
  return errors.length === 0 ? { status: [status] } : { status: [status], errors };
}
