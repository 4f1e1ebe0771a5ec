// Changes of the columns of a table, as commands and native statements have them carried out.
import { JsonNumber } from '../../foundation/json/json-value.js';
import { invalidFieldValue } from '../errors/request-problems.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Engine } from './engine.js';
import { EngineError } from './engine-error.js';

/**
 * Carries a change out. `at`: where the columns to add stand in the request.
 * @throws ApiError COMMAND_FIELD_VALUE_INVALID for columns that the rows have no room for; EngineError
 */
export async function changeColumns(engine: Engine, change: SchemaChange, at: string): Promise<void> {
  try {
    await engine.changeSchema(change);
  } catch (error) {
    const isFull = error instanceof EngineError && error.kind === 'noRoom';
    if (!isFull || change.kind !== 'addColumns') throw error;
    throw invalidFieldValue(at, new JsonNumber(String(change.columns.length)), error.message);
  }
}
