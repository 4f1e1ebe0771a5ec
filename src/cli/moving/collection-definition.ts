// Collections of documents in an export: their definitions, and documents as lines.
import type { JsonObject, JsonText } from '../../foundation/json/json-value.js';
import { isJsonObject, stringifyJson } from '../../foundation/json/json-value.js';
import { type DataPort, DataPortProblem, errorText } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { objectAt, sortedText, type TableDefinition, textAt } from './table-definition.js';

/** Servers without collections: they are switched off, or the engine has none, or an old server. */
const withoutCollections: ReadonlySet<string> = new Set([
  'UNKNOWN_COMMAND',
  'COMMAND_UNKNOWN',
  'UNSUPPORTED_COMMAND',
]);

/** The collections of a keyspace with all options; none if the server has no collections. @throws DataPortProblem */
export async function listCollections(port: DataPort, keyspace: string): Promise<readonly TableDefinition[]> {
  const { status, errors } = await port.ask(
    `/${keyspace}`,
    '{"findCollections":{"options":{"explain":true}}}',
  );
  const [error] = errors;
  if (error !== undefined) {
    if (withoutCollections.has(error.code)) return [];
    throw new DataPortProblem(errorText(error));
  }
  return elementsOf(status.get('collections'))
    .filter(isJsonObject)
    .map((collection) => ({
      kind: 'collection',
      name: textAt(collection, 'name'),
      definition: objectAt(collection, 'options'),
      indexes: [],
    }));
}

/**
 * The line of a document: as the server writes it, with the order of its members and the digits of its numbers. The
 * API refuses a document with both a text to embed and its vector, so the line then has the text only.
 */
export function documentLine(document: JsonObject): JsonText {
  if (!document.has('$vectorize') || !document.has('$vector')) return stringifyJson(document);
  return stringifyJson(new Map([...document].filter(([name]) => name !== '$vector')));
}

/** The command that creates a collection. */
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
