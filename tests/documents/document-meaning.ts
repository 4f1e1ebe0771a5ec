// What a collection would store and find, for tests that predict what is in a file. Everything is undefined if the
// server refuses it.
import { fromColumns, toColumns } from '../../src/data-service/documents/document-columns.js';
import { applyUpdate, parseUpdate } from '../../src/data-service/documents/document-update.js';
import { matchesDocument } from '../../src/data-service/documents/match-filter.js';
import { parseDocumentFilter } from '../../src/data-service/documents/parse-document-filter.js';
import { readDocument } from '../../src/data-service/documents/read-document.js';
import { ApiError } from '../../src/data-service/errors/api-error.js';
import { analyzerOf } from '../../src/data-service/text-analysis/parse-analyzer.js';
import { type JsonObject, type JsonText, stringifyJson } from '../../src/foundation/json/json-value.js';
import { parseObject } from './routes-of-scenario.js';

const collection = { keyspace: 'default_keyspace', table: 'documents' } as const;
const vector = { dimension: 2, metric: 'euclidean', hasService: false } as const;
const analyzer = analyzerOf('"standard"');
const rules = { ...collection, vector, lexical: true, analyzer, isIndexed: undefined } as const;
/** No random value is a date of these years. */
const now = Date.UTC(2026, 10, 28);

/** The form in which finds show a document. */
export function storedForm(json: JsonObject): JsonObject | undefined {
  return unlessRefused(() => shownForm(json));
}

/** The documents that a filter finds. */
export function testOf(filter: JsonText): ((document: JsonObject) => boolean) | undefined {
  return unlessRefused(() => {
    const context = { ...collection, lexical: 'enabled' } as const;
    const parsed = parseDocumentFilter(parseObject(filter), context);
    return (document: JsonObject) => matchesDocument(parsed.filter, document, analyzer);
  });
}

/** A document after an update. */
export function updatedForm(before: JsonObject, update: JsonText): JsonObject | undefined {
  return unlessRefused(() => {
    const parsed = parseUpdate(parseObject(update));
    return shownForm(applyUpdate(parsed, before, { now, isUpsert: false }).document);
  });
}

/** A document as a text, in which the dates of updates are one. */
export function textOf(document: JsonObject): string {
  return stringifyJson(document).replaceAll(/(?<=\{"\$date":)1[6-9]\d{11}/g, 'now');
}

function shownForm(json: JsonObject): JsonObject {
  const { document, vector: own } = readDocument(json, rules);
  return fromColumns(toColumns(document, own));
}

function unlessRefused<Result>(make: () => Result): Result | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
