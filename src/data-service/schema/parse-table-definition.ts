// Parses the definition of a new table (specification: Column definition shapes; wire: createTable).

import { firstRepeated } from '../../foundation/first-repeated.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { labelOf } from '../column-types/column-type.js';
import { columnTypes } from '../column-types/registry.js';
import { apiError } from '../errors/api-error.js';
import { invalidFieldValue, refuseUnknownMembers, structureMismatch } from '../errors/request-problems.js';
import {
  type DefinitionContext,
  parseColumns,
  refuseTooMany,
  refuseUncreatable,
} from './parse-column-definitions.js';
import type { TableDefinition } from './table.js';

const keyExample = '"id" or {"partitionBy": ["id"], "partitionSort": {"day": -1}}';
/** The maximum number of comparisons of a filter: a filter must be able to select a row by its key. */
export const maxKeyColumns = 64;

/**
 * Parses `definition` of createTable.
 * @throws ApiError for the first problem: shapes, then types, then the primary key
 */
export function parseTableDefinition(
  name: string,
  definition: JsonObject,
  context: DefinitionContext,
): TableDefinition {
  refuseUnknownMembers(definition, 'command.definition', ['columns', 'primaryKey']);
  const columns = parseColumns(definition.get('columns') ?? null, 'command.definition.columns', context);
  refuseTooMany('command.definition.columns', columns.length, 0);
  const { partitionKey, clustering } = parsePrimaryKey(definition.get('primaryKey') ?? null);
  const parsed = { name, columns: refuseUncreatable(columns, refuseInTable), partitionKey, clustering };
  checkPrimaryKey(parsed);
  return parsed;
}

function parsePrimaryKey(json: JsonValue): Pick<TableDefinition, 'partitionKey' | 'clustering'> {
  const at = 'command.definition.primaryKey';
  if (typeof json === 'string') return { partitionKey: [json], clustering: [] };
  if (!isJsonObject(json))
    throw structureMismatch(at, 'the name of a column, or an object with "partitionBy"', json, keyExample);
  refuseUnknownMembers(json, at, ['partitionBy', 'partitionSort']);
  const partitionBy = json.get('partitionBy') ?? null;
  if (!isJsonArray(partitionBy))
    throw structureMismatch(`${at}.partitionBy`, 'an array of column names', partitionBy, '["id"]');
  return {
    partitionKey: parseNames(`${at}.partitionBy`, partitionBy),
    clustering: parsePartitionSort(`${at}.partitionSort`, json.get('partitionSort') ?? null),
  };
}

function parseNames(at: string, json: JsonArray): readonly string[] {
  return json.map((name, position) => {
    if (typeof name !== 'string')
      throw structureMismatch(`${at}[${position}]`, 'the name of a column', name, '"id"');
    return name;
  });
}

function parsePartitionSort(at: string, json: JsonValue): TableDefinition['clustering'] {
  if (json === null) return [];
  if (!isJsonObject(json))
    throw structureMismatch(at, 'an object of columns and directions (1 or -1)', json, '{"day": -1}');
  return [...json].map(([name, direction]) => {
    // `1.0` is refused, because the public API accepts only the integers.
    if (!(direction instanceof JsonNumber) || (direction.text !== '1' && direction.text !== '-1')) {
      throw structureMismatch(
        `${at}.${name}`,
        'a direction: 1 ascending or -1 descending',
        direction,
        '1 or -1',
      );
    }
    return { name, direction: direction.text === '1' ? (1 as const) : (-1 as const) };
  });
}

function checkPrimaryKey({ columns, partitionKey, clustering }: TableDefinition): void {
  const names = columns.map(({ name }) => name);
  const clusteringNames = clustering.map(({ name }) => name);
  if (partitionKey.length === 0) throw apiError('schema', 'MISSING_PARTITION_COLUMNS', { columns: names });
  const unknown = (key: readonly string[]) => key.filter((name) => !names.includes(name));
  if (unknown(partitionKey).length > 0) {
    throw apiError('schema', 'UNKNOWN_PARTITION_COLUMNS', {
      columns: names,
      unknownColumns: unknown(partitionKey),
    });
  }
  if (unknown(clusteringNames).length > 0) {
    const unknownColumns = unknown(clusteringNames);
    throw apiError('schema', 'UNKNOWN_PARTITION_SORT_COLUMNS', { columns: names, unknownColumns });
  }
  const key = [...partitionKey, ...clusteringNames];
  if (key.length > maxKeyColumns) {
    const problem = `the key has ${key.length} columns; at most ${maxKeyColumns} are allowed`;
    throw invalidFieldValue('command.definition.primaryKey', new JsonNumber(String(key.length)), problem);
  }
  const twice = firstRepeated(key);
  if (twice !== undefined) {
    throw invalidFieldValue('command.definition.primaryKey', twice, 'the column is in the key twice');
  }
  const refused = columns.filter(({ name, type }) => key.includes(name) && !type.traits.key);
  if (refused.length > 0) {
    throw apiError('schema', 'UNSUPPORTED_PRIMARY_KEY_TYPES', {
      columns: refused.map(({ name, type }) => `${name}(${labelOf(type)})`),
      supported: columnTypes.filter(({ traits }) => traits.creatable && traits.key).map((type) => type.name),
    });
  }
}

function refuseInTable(columns: readonly string[], supported: readonly string[]): Error {
  return apiError('schema', 'UNSUPPORTED_DATA_TYPE_TABLE_CREATION', { columns, supported });
}
