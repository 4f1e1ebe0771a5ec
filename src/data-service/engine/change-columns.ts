// Changes the columns of a table for commands and native statements.
import { JsonNumber } from '../../foundation/json/json-value.js';
import { invalidFieldValue } from '../errors/request-problems.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Engine } from './engine.js';
import { EngineError } from './engine-error.js';

/**
 * Makes a change of columns. `at`: the path of the added columns in the request.
 * @throws ApiError COMMAND_FIELD_VALUE_INVALID if the rows have no room for the columns; EngineError
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
