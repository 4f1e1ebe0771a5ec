// createIndex (wire: createIndex).
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { type PartName, wholePartOf } from '../column-types/column-type.js';
import { exactText, type TextFold } from '../column-types/text-fold.js';
import { EngineError } from '../engine/engine-error.js';
import { apiError } from '../errors/api-error.js';
import { invalidFieldValue, showJson } from '../errors/request-problems.js';
import { comparedPart } from '../query/filter.js';
import { type Indexed, indexedPart, planIndex, refuseUnindexable } from '../query/indexed-part.js';
import { partNamed } from '../query/member-clause.js';
import { checkNewName } from '../schema/identifier.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Column, Table } from '../schema/table.js';
import { changesSchema, tableCommand } from './command.js';
import { checkIndexType } from './index-type.js';
import {
  anything,
  flag,
  object,
  optionalFlag,
  optionalObject,
  optionalText,
  options,
  requiredObject,
  requiredText,
} from './shape.js';

export const createIndex = tableCommand({
  name: 'createIndex',
  help: 'Creates an index on one column. While it is built, reads continue, and writes wait unless it is on members.',
  ...changesSchema,
  shape: object({
    name: requiredText,
    definition: requiredObject({
      column: anything(
        'the name of a column; in the extended dialect also `{"tags": "$values"}`, or `$keys`, for a part of a list, ' +
          'set or map',
      ),
      options: optionalObject({ ascii: optionalFlag, caseSensitive: optionalFlag, normalize: optionalFlag }),
    }),
    indexType: optionalText,
    options: options({ ifNotExists: flag }),
  }),
  plan: ({ name, definition, indexType, options: { ifNotExists } }, context): SchemaChange | null => {
    const { table } = context;
    checkNewName('index', name);
    checkIndexType(indexType, 'regular');
    if (definition.column === undefined && context.dialect === 'extended')
      throw invalidFieldValue('command.definition.column', undefined, 'it must not be null');
    const indexed = parseColumn(definition.column, table);
    const fold = parseFold(definition.options, indexed);
    refuseUnindexable(indexed, table);
    return planIndex({ name, indexed, fold, ifNotExists }, context);
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
});

/** The name of a column; `{"tags": "$values"}` names a part of a list, set or map. */
function parseColumn(json: JsonValue | undefined, table: Table): Indexed {
  const [name, marker] = typeof json === 'string' ? [json, undefined] : namedPart(json);
  if (name === undefined) throw invalidForm(json);
  const column = table.columnsByName.get(name);
  if (column === undefined)
    throw apiError('schema', 'UNKNOWN_INDEX_COLUMN', { column: name, allColumns: table.columns });
  const named = typeof marker === 'string' ? partNamed(marker) : undefined;
  if (marker !== undefined && (wholePartOf(column.type) === undefined || named === undefined))
    throw invalidForm(json);
  return indexedPart(column, named);
}

function namedPart(json: JsonValue | undefined): readonly [name?: string, part?: JsonValue] {
  const members = isJsonObject(json ?? null) ? [...(json as JsonObject)] : []; // just checked
  return members.length === 1 ? (members[0] ?? []) : [];
}

function invalidForm(json: JsonValue | undefined): Error {
  return apiError('schema', 'INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN', { found: showJson(json) });
}

type GivenOptions = { readonly [Option in keyof TextFold]?: boolean | undefined };

function parseFold(given: GivenOptions | undefined, { column, part }: Indexed): TextFold | null {
  if (part !== undefined) return parsePartFold(given, column, part);
  if (column.type.traits.text) return foldOf(given ?? {});
  if (given === undefined || !hasOptions(given)) return null;
  if (!column.type.traits.filterable) return null; // cannot have an index
  throw apiError('schema', 'UNSUPPORTED_TEXT_ANALYSIS_FOR_DATA_TYPES', { column });
}

/** Only options that were sent are stored, even empty ones: listIndexes shows the difference. */
function parsePartFold(given: GivenOptions | undefined, column: Column, part: PartName): TextFold | null {
  if (given === undefined) return null;
  if (part === 'entries') {
    if (hasOptions(given)) throw apiError('schema', 'CANNOT_ANALYZE_ENTRIES_ON_MAP_COLUMNS', { column });
    return null;
  }
  if (comparedPart({ column, part }).type.traits.text) return foldOf(given);
  if (hasOptions(given)) throw apiError('schema', 'UNSUPPORTED_TEXT_ANALYSIS_FOR_DATA_TYPES', { column });
  return null;
}

function foldOf({ ascii, caseSensitive, normalize }: GivenOptions): TextFold {
  return {
    ascii: ascii ?? exactText.ascii,
    caseSensitive: caseSensitive ?? exactText.caseSensitive,
    normalize: normalize ?? exactText.normalize,
  };
}

function hasOptions(given: GivenOptions): boolean {
  return Object.values(given).some((option) => option !== undefined);
}
