// Lists the collections of a running server.
import { isJsonObject } from '../../foundation/json/json-value.js';
import { type DataPort, errorText, pathOf } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { DataPortProblem } from '../port-problems.js';
import { objectAt, type TableDefinition, textAt } from './table-definition.js';

/** Servers without collections: they are switched off, or the engine has none, or an old server. */
const withoutCollections: ReadonlySet<string> = new Set([
  'UNKNOWN_COMMAND',
  'COMMAND_UNKNOWN',
  'UNSUPPORTED_COMMAND',
]);

/** The collections of a keyspace with all options; none if the server has no collections. @throws DataPortProblem */
export async function listCollections(port: DataPort, keyspace: string): Promise<readonly TableDefinition[]> {
  const { status, errors } = await port.ask(
    pathOf(keyspace),
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
