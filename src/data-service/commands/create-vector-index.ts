// createVectorIndex (wire: createVectorIndex).
import { vectorMetrics } from '../../descriptions/vector-metrics.js';
import { maxDimension } from '../column-types/vector.js';
import { apiError } from '../errors/api-error.js';
import { checkNewName } from '../schema/identifier.js';
import { newIndex } from '../schema/new-index.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { type Column, vectorIndexOn } from '../schema/table.js';
import { type SourceModel, sourceModels, type VectorMetric } from '../schema/vector-index.js';
import { changesSchema, tableCommand } from './command.js';
import { checkIndexType } from './index-type.js';
import {
  flag,
  nonEmptyText,
  object,
  optionalChoice,
  optionalText,
  options,
  requiredObject,
  requiredText,
} from './shape.js';

export const createVectorIndex = tableCommand({
  name: 'createVectorIndex',
  help: 'Creates an index on a vector column, which vector searches need. The default of `metric` is the metric of `sourceModel`, or `cosine` without a source model or with `other`.',
  ...changesSchema,
  shape: object({
    name: requiredText,
    definition: requiredObject({
      column: nonEmptyText,
      options: options({ metric: optionalChoice(vectorMetrics), sourceModel: optionalText }),
    }),
    indexType: optionalText,
    options: options({ ifNotExists: flag }),
  }),
  plan: ({ name, definition, indexType, options: { ifNotExists } }, context): SchemaChange | null => {
    const { table } = context;
    checkNewName('index', name);
    checkIndexType(indexType, 'vector');
    const column = table.columnsByName.get(definition.column);
    if (column === undefined) {
      throw apiError('schema', 'UNKNOWN_INDEX_COLUMN', {
        column: definition.column,
        allColumns: table.columns,
      });
    }
    const sourceModel = parseSourceModel(definition.options.sourceModel ?? 'other');
    const metric = definition.options.metric ?? sourceModels[sourceModel];
    refuseOtherColumns(column, metric);
    const named = newIndex(name, column, ifNotExists, vectorIndexOn, context);
    if (named === null) return null;
    return { kind: 'createIndex', table, index: { kind: 'vector', ...named, metric, sourceModel } };
  },
});

function parseSourceModel(given: string): SourceModel {
  if (isSourceModel(given)) return given;
  throw apiError('schema', 'UNKNOWN_VECTOR_SOURCE_MODEL', { given, known: Object.keys(sourceModels) });
}

function isSourceModel(name: string): name is SourceModel {
  return Object.hasOwn(sourceModels, name);
}

function refuseOtherColumns({ name, type }: Column, metric: VectorMetric): void {
  if (type.vector === undefined) {
    const problem = `the column ${name}(${type.name}) is not a vector column`;
    throw apiError('schema', 'UNSUPPORTED_VECTOR_INDEX_FOR_DATA_TYPES', { problem });
  }
  if (metric === 'cosine' && type.vector.dimension === 1) {
    const problem = 'it is 1, and the metric cosine needs at least 2';
    throw apiError('schema', 'UNSUPPORTED_VECTOR_DIMENSION', {
      column: name,
      problem,
      least: 2,
      most: maxDimension,
    });
  }
}
