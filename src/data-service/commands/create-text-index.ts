// createTextIndex (wire: createTextIndex; differences: text search).
import { isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { labelOf } from '../column-types/column-type.js';
import { EngineError } from '../engine/engine-error.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { checkNewName } from '../schema/identifier.js';
import { newIndex } from '../schema/new-index.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { anyTextIndexOn, type Column, type Table } from '../schema/table.js';
import { type Analyzer, InvalidAnalyzer } from '../text-analysis/analyzer.js';
import { parseAnalyzer } from '../text-analysis/parse-analyzer.js';
import { changesSchema, tableCommand } from './command.js';
import { checkIndexType } from './index-type.js';
import {
  anything,
  flag,
  nonEmptyText,
  object,
  optionalText,
  options,
  readPayload,
  requiredObject,
  requiredText,
} from './shape.js';

const untouched = anything('anything');

/** The shape where the command is available; otherwise it has the same error in every form. */
const availableShape = object({
  name: requiredText,
  definition: requiredObject({
    column: nonEmptyText,
    options: options({ analyzer: anything('a string or an object') }),
  }),
  indexType: optionalText,
  options: options({ ifNotExists: flag }),
});

export const createTextIndex = tableCommand({
  name: 'createTextIndex',
  help: 'Extended dialect only: creates an index on the words of a text column, which text searches (`$match`, and a sort by a text) need. `definition.options.analyzer` is the name of an analyzer or an object with `tokenizer`, `filters` and `charFilters`; the default is `standard`. While it is built, reads and writes continue.',
  ...changesSchema,
  refusedIn: 'strict',
  shape: object({ name: optionalText, definition: untouched, indexType: untouched, options: untouched }),
  plan: (request, context): SchemaChange | null => {
    if (context.dialect === 'strict') throw notAvailable();
    const sent = Object.entries(request).filter(
      (member): member is [string, JsonValue] => member[1] !== undefined,
    );
    const payload = readPayload(availableShape, new Map(sent));
    const { name, definition, indexType } = payload;
    const { table } = context;
    checkNewName('index', name);
    checkIndexType(indexType, 'text');
    const column = table.columnsByName.get(definition.column);
    if (column === undefined) {
      const allColumns = table.columns;
      throw apiError('schema', 'UNKNOWN_INDEX_COLUMN', { column: definition.column, allColumns });
    }
    const analyzer = readAnalyzer(definition.options.analyzer);
    refuseOtherColumns(column, table);
    const named = newIndex(name, column, payload.options.ifNotExists, anyTextIndexOn, context);
    return named === null
      ? null
      : { kind: 'createIndex', table, index: { kind: 'text', ...named, analyzer } };
  },
  execute: async (plan, engine) => {
    if (plan === null) return;
    await engine.changeSchema(plan).catch((error: unknown) => {
      // Another kind of index has the other causes of this error.
      if (!(error instanceof EngineError) || error.kind !== 'unindexable') throw error;
      throw apiError('schema', 'UNSUPPORTED_TEXT_INDEX_FOR_DATA_TYPES', { problem: error.message }, error);
    });
  },
});

function notAvailable(): Error {
  return apiError('schema', 'LEXICAL_FEATURE_NOT_ENABLED', {});
}

function readAnalyzer(json: JsonValue | undefined = 'standard'): Analyzer {
  if (typeof json !== 'string' && !isJsonObject(json))
    throw apiError('schema', 'UNSUPPORTED_JSON_TYPE_FOR_TEXT_INDEX', { found: showJson(json) });
  try {
    return parseAnalyzer(json);
  } catch (error) {
    if (!(error instanceof InvalidAnalyzer)) throw error;
    throw apiError('schema', 'INVALID_INDEX_DEFINITION', { reason: error.message }, error);
  }
}

function refuseOtherColumns(column: Column, { keyColumns }: Table): void {
  const { name, type } = column;
  const problem = !type.traits.searchable
    ? `the column ${name}(${labelOf(type)}) is not a text column`
    : keyColumns.includes(column)
      ? `the column ${name}(${type.name}) is in the primary key`
      : undefined;
  if (problem !== undefined) throw apiError('schema', 'UNSUPPORTED_TEXT_INDEX_FOR_DATA_TYPES', { problem });
}
