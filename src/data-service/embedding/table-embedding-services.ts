// The rule for the services of one table (specification: vectorize rules).
import { apiError } from '../errors/api-error.js';
import { describeEmbeddingService, isSameEmbeddingService } from '../schema/embedding-service.js';
import type { ColumnDefinition } from '../schema/table.js';

/**
 * All columns with a service must have the same service and dimension, because a table has one configuration. Columns
 * without a service are exempt.
 * @throws ApiError INVALID_VECTORIZE_TABLE_CONFIGURATION
 */
export function refuseDifferentEmbeddingServices(table: string, columns: readonly ColumnDefinition[]): void {
  const [first, ...others] = columns.filter(({ service }) => service?.isEnabled === true);
  if (first === undefined) return;
  const differing = others.find((column) => !isAlike(first, column));
  if (differing === undefined) return;
  const problem =
    `columns of the table ${table} with a service must have the same one, and the same dimension, ` +
    `but ${shown(first)}, and ${shown(differing)}`;
  throw apiError('schema', 'INVALID_VECTORIZE_TABLE_CONFIGURATION', { problem });
}

function isAlike(left: ColumnDefinition, right: ColumnDefinition): boolean {
  if (left.service === undefined || right.service === undefined) return false;
  return left.type === right.type && isSameEmbeddingService(left.service, right.service);
}

function shown({ name, type, service }: ColumnDefinition): string {
  return `${name}(${type.name}) has ${service === undefined ? 'none' : describeEmbeddingService(service)}`;
}
