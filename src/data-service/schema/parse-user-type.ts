// Parses the fields of user-defined types, and changes of them (specification: createType, alterType).
import { isJsonObject, JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import type { UserTypeDefinition, UserTypeField } from '../column-types/column-type.js';
import { columnTypeNamed, columnTypes } from '../column-types/registry.js';
import { apiError } from '../errors/api-error.js';
import { invalidFieldValue, structureMismatch } from '../errors/request-problems.js';
import { checkNewColumnName } from './identifier.js';
import { type DefinitionContext, parseColumns } from './parse-column-definitions.js';

/** The name of a type contains all its fields, and is part of statements. */
const maxFields = 200;

/**
 * Parses an object of field definitions, which have the form of column definitions; absent and null mean none.
 * @throws ApiError as `parseColumns`; UNSUPPORTED_TYPE_FIELDS for all fields that are not scalars
 */
export function parseFields(
  json: JsonValue | undefined,
  at: string,
  context: DefinitionContext,
): readonly UserTypeField[] {
  if (json === undefined || json === null) return [];
  const parsed = parseColumns(json, at, context);
  const fields = parsed.flatMap(({ name, typeName }) => {
    // The stored form of fields is the same in all dialects.
    const type = columnTypeNamed(typeName);
    return type?.traits.creatable === true ? [{ name, type }] : [];
  });
  if (fields.length === parsed.length) return fields;
  const supported = columnTypes.filter(({ traits }) => traits.creatable).map(({ name }) => name);
  const refused = parsed.filter(({ name }) => !fields.some((field) => field.name === name));
  throw apiError('schema', 'UNSUPPORTED_TYPE_FIELDS', {
    fields: refused.map(({ name, typeName }) => `${name}(${typeName})`),
    supported,
  });
}

/** Refuses a type with more fields than one can have. @throws ApiError COMMAND_FIELD_VALUE_INVALID */
export function refuseTooManyFields(at: string, fields: readonly UserTypeField[]): void {
  const { length } = fields;
  if (length <= maxFields) return;
  const problem = `the type would have ${length} fields; at most ${maxFields} are allowed`;
  throw invalidFieldValue(at, new JsonNumber(String(length)), problem);
}

/** Parses an object of present and new names of fields; absent and null mean none. */
export function parseRenames(
  json: JsonValue | undefined,
  at: string,
): readonly (readonly [from: string, to: string])[] {
  if (json === undefined || json === null) return [];
  const example = '{"zip": "postcode"}';
  if (!isJsonObject(json)) throw structureMismatch(at, 'an object of names of fields', json, example);
  return [...json].map(([from, to]) => {
    if (typeof to !== 'string') throw structureMismatch(`${at}.${from}`, 'the new name', to, '"postcode"');
    if (to === '') throw invalidFieldValue(`${at}.${from}`, to, 'a field needs a name');
    return [from, to];
  });
}

/**
 * The type after renames, one after another, and then additions.
 * @throws ApiError CANNOT_RENAME_UNKNOWN_TYPE_FIELD, UNSUPPORTED_SCHEMA_NAME, CANNOT_ADD_EXISTING_FIELD
 */
export function changedUserType(
  type: UserTypeDefinition,
  renames: readonly (readonly [from: string, to: string])[],
  added: readonly UserTypeField[],
): UserTypeDefinition {
  const fields = [...type.fields];
  const places = new Map(fields.map(({ name }, at) => [name, at]));
  const names = () => fields.map(({ name }) => name);
  const refuseTaken = (field: string) => {
    if (!places.has(field)) return;
    throw apiError('schema', 'CANNOT_ADD_EXISTING_FIELD', { type: type.name, field, fields: names() });
  };
  for (const [from, to] of renames) {
    const at = places.get(from);
    const field = at === undefined ? undefined : fields[at];
    if (at === undefined || field === undefined) {
      const parameters = { type: type.name, field: from, fields: names() };
      throw apiError('schema', 'CANNOT_RENAME_UNKNOWN_TYPE_FIELD', parameters);
    }
    checkNewColumnName(to);
    refuseTaken(to);
    fields[at] = { ...field, name: to };
    places.delete(from);
    places.set(to, at);
  }
  for (const field of added) {
    refuseTaken(field.name);
    places.set(field.name, fields.length);
    fields.push(field);
  }
  return { ...type, fields };
}
