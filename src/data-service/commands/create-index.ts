// createIndex (wire: createIndex).
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { exactText, type TextFold } from '../column-types/text-fold.js';
import { EngineError } from '../engine/engine-error.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { checkNewName } from '../schema/identifier.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { type Column, isCounterTable, type Table } from '../schema/table.js';
import { tableCommand } from './command.js';
import { checkIndexType } from './index-type.js';
import { newIndex } from './new-index.js';
import { okReply } from './reply.js';
import {
  anything,
  flag,
  nonEmptyText,
  object,
  optionalFlag,
  optionalText,
  options,
  requiredObject,
} from './shape.js';

export const createIndex = tableCommand({
  name: 'createIndex',
  help: 'Creates an index on one column. While it is built, reads continue and writes wait.',
  kind: 'schema',
  shape: object({
    name: nonEmptyText,
    definition: requiredObject({
      column: anything('the name of a column'),
      options: options({ ascii: optionalFlag, caseSensitive: optionalFlag, normalize: optionalFlag }),
    }),
    indexType: optionalText,
    options: options({ ifNotExists: flag }),
  }),
  plan: ({ name, definition, indexType, options: { ifNotExists } }, context): SchemaChange | null => {
    const { table } = context;
    checkNewName('index', name);
    checkIndexType(indexType, 'regular');
    const column = parseColumn(definition.column, table);
    const fold = parseFold(definition.options, column);
    refuseUnindexable(column, table);
    const named = newIndex('regular', name, column, ifNotExists, context);
    if (named === null) return null;
    return { kind: 'createIndex', table, index: { ...named, fold } };
  },
  execute: async (plan, engine) => {
    if (plan?.kind !== 'createIndex') return;
    await engine.changeSchema(plan).catch((error: unknown) => {
      // An engine may have limits of its own. The error of this kind is otherwise about vectors.
      if (!(error instanceof EngineError) || error.kind !== 'unindexable') throw error;
      const { column } = plan.index;
      const reason = error.message.replace(/\.$/, '');
      throw apiError('schema', 'UNSUPPORTED_INDEXING_FOR_DATA_TYPES', { column, reason }, error);
    });
  },
  respond: () => okReply,
});

/** The name of a column; `{"tags": "$values"}` names a part of a list, set or map. */
function parseColumn(json: JsonValue | undefined, table: Table): Column {
  const [name, part] = typeof json === 'string' ? [json, undefined] : namedPart(json);
  if (name === undefined) throw invalidForm(json);
  const column = table.columnsByName.get(name);
  if (column === undefined)
    throw apiError('schema', 'UNKNOWN_INDEX_COLUMN', { column: name, allColumns: table.columns });
  const { container } = column.type.frozen ?? column.type;
  if (part !== undefined && (container === undefined || !isPartName(part))) throw invalidForm(json);
  return column;
}

function namedPart(json: JsonValue | undefined): readonly [name?: string, part?: JsonValue] {
  const members = isJsonObject(json ?? null) ? [...(json as JsonObject)] : []; // just checked
  return members.length === 1 ? (members[0] ?? []) : [];
}

function isPartName(json: JsonValue): boolean {
  return typeof json === 'string' && /^\$(keys|values)$/i.test(json);
}

function invalidForm(json: JsonValue | undefined): Error {
  return apiError('schema', 'INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN', { found: showJson(json) });
}

function parseFold(
  given: { readonly [Option in keyof TextFold]: boolean | undefined },
  column: Column,
): TextFold | null {
  const { ascii, caseSensitive, normalize } = given;
  if (column.type.traits.text) {
    return {
      ascii: ascii ?? exactText.ascii,
      caseSensitive: caseSensitive ?? exactText.caseSensitive,
      normalize: normalize ?? exactText.normalize,
    };
  }
  if (ascii === undefined && caseSensitive === undefined && normalize === undefined) return null;
  if (!column.type.traits.filterable) return null; // cannot have an index
  throw apiError('schema', 'UNSUPPORTED_TEXT_ANALYSIS_FOR_DATA_TYPES', { column });
}

function refuseUnindexable(column: Column, table: Table): void {
  if (column.type.frozen !== undefined)
    throw apiError('schema', 'UNSUPPORTED_INDEXING_FOR_FROZEN_COLUMN', { column });
  if (isCounterTable(table)) {
    const reason = 'its table has counters';
    throw apiError('schema', 'UNSUPPORTED_INDEXING_FOR_DATA_TYPES', { column, reason });
  }
  const isWholePartitionKey = table.partitionKey.length === 1 && table.partitionKey[0] === column;
  if (column.type.traits.index !== 'none' && !isWholePartitionKey) return;
  const reason = isWholePartitionKey
    ? 'it is the only partition column, which needs no index'
    : column.type.vector !== undefined
      ? 'use createVectorIndex for vector columns'
      : 'its type cannot be indexed';
  throw apiError('schema', 'UNSUPPORTED_INDEXING_FOR_DATA_TYPES', { column, reason });
}
