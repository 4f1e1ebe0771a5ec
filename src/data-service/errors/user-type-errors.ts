// Errors about user-defined types.
import { entry, listed } from './error-entry.js';

interface TypeOfKeyspace {
  readonly keyspace: string;
  readonly type: string;
  readonly existing: readonly string[];
}

/** Family REQUEST, scope SCHEMA. */
export const userTypeErrors = {
  CANNOT_ADD_EXISTING_FIELD: entry({
    title: 'Field exists',
    when: 'alterType adds a field, or gives a field a name, that the type already has.',
    message: (p: { type: string; field: string; fields: readonly string[] }) =>
      `The type ${p.type} already has a field ${p.field}.\nIts fields: ${listed(p.fields)}.`,
  }),
  CANNOT_ADD_EXISTING_TYPE: entry({
    title: 'Type exists',
    when: 'createType names a type that exists, without `ifNotExists`.',
    message: (p: TypeOfKeyspace) =>
      `The keyspace ${p.keyspace} already has a type ${p.type}.\nIts types: ${listed(p.existing)}.\n` +
      'Choose another name, drop the type first, or set the option "ifNotExists".',
  }),
  CANNOT_DROP_TYPE_USED_BY_TABLE: entry({
    title: 'Type in use',
    when: 'dropType names a type that a column of a table, or another type, is or contains.',
    message: (p: { type: string; tables: readonly string[] } | { type: string; problem: string }) => {
      const reason = 'tables' in p ? `used by these tables: ${listed(p.tables)}` : `in use: ${p.problem}`;
      return `The type ${p.type} is ${reason}.\nDrop the columns or the tables first.`;
    },
  }),
  CANNOT_DROP_UNKNOWN_TYPE: entry({
    title: 'Type to drop does not exist',
    when: 'dropType names a type that does not exist, without `ifExists`.',
    message: (p: TypeOfKeyspace) =>
      `The keyspace ${p.keyspace} has no type ${p.type}.\nIts types: ${listed(p.existing)}.\n` +
      'Correct the name, or set the option "ifExists".',
  }),
  CANNOT_RENAME_UNKNOWN_TYPE_FIELD: entry({
    title: 'Field to rename does not exist',
    when: 'alterType renames a field that the type does not have.',
    message: (p: { type: string; field: string; fields: readonly string[] }) =>
      `The type ${p.type} has no field ${p.field}.\nIts fields: ${listed(p.fields)}.`,
  }),
  INVALID_USER_DEFINED_TYPE_NAME: entry({
    title: 'Name of the user-defined type missing',
    when: 'A definition with the type `userDefined` has no `udtName`, or a blank one.',
    message: (p: { column: string; found: string }) =>
      `The definition of ${p.column} needs the name of a user-defined type in "udtName", found ${p.found}: ` +
      '{"type": "userDefined", "udtName": "address"}.',
  }),
  MISSING_ALTER_TYPE_OPERATIONS: entry({
    title: 'Nothing to change',
    when: 'alterType neither renames nor adds a field.',
    message: (p: { type: string }) =>
      `The change of the type ${p.type} names no field.\n` +
      'Send {"rename": {"fields": {"old": "new"}}} or {"add": {"fields": {"country": "text"}}}, or both.',
  }),
  MISSING_FIELDS_FOR_TYPE_CREATION: entry({
    title: 'Type without fields',
    when: 'createType defines no fields.',
    message: (p: { type: string }) =>
      `The type ${p.type} has no fields: {"fields": {"street": "text"}} defines one.`,
  }),
  UNKNOWN_USER_DEFINED_TYPE: entry({
    title: 'User-defined type does not exist',
    when: 'A definition or alterType names a user-defined type that the keyspace does not have.',
    message: (p: TypeOfKeyspace) =>
      `The keyspace ${p.keyspace} has no user-defined type ${p.type}.\nIts types: ${listed(p.existing)}.`,
  }),
  UNSUPPORTED_TYPE_FIELDS: entry({
    title: 'Types of fields not supported',
    when: 'createType or alterType defines fields of types that fields cannot have: list, set, map, vector, userDefined, counter, timeuuid.',
    message: (p: { fields: readonly string[]; supported: readonly string[] }) =>
      `These fields cannot be in a user-defined type: ${listed(p.fields)}.\nTypes of fields: ${listed(p.supported)}.`,
  }),
} as const;
