// Collections of documents that are moved: their definitions, and documents as lines.
import type { JsonObject, JsonText } from '../../foundation/json/json-value.js';
import { stringifyJson } from '../../foundation/json/json-value.js';
import { sortedText, type TableDefinition } from '../tables/table-definition.js';

/** The line of a document: as the server writes it, with the order of its members and the digits of its numbers. */
export function documentLine(document: JsonObject): JsonText {
  return stringifyJson(insertableDocument(document));
}

/** The API refuses a document with both a text to embed and its vector, so a moved one then has the text only. */
export function insertableDocument(document: JsonObject): JsonObject {
  if (!document.has('$vectorize') || !document.has('$vector')) return document;
  return new Map([...document].filter(([name]) => name !== '$vector'));
}

export function createCollectionCommand({ name, definition }: TableDefinition): JsonText {
  return `{"createCollection":{"name":${JSON.stringify(name)},"options":${stringifyJson(definition)}}}`;
}

/** How the options of an existing collection differ, a sentence for each difference. */
export function collectionDifferences(wanted: TableDefinition, present: TableDefinition): readonly string[] {
  const names = new Set([...wanted.definition.keys(), ...present.definition.keys()]);
  return [...names].flatMap((name) => {
    const [own, other] = [wanted, present].map(({ definition }) => sortedText(definition.get(name) ?? null));
    return own === other ? [] : [`the option ${name} is ${other} and not ${own}`];
  });
}
