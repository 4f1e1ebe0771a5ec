// The dialects, and what each of them allows for a type. Engines find the types of columns in their dialect once, when
// they read a schema: no other code asks which dialect is used to read or write values.
import { getOrMake } from '../../foundation/get-or-make.js';
import { type ColumnType, cqlDefinition, ValueMismatch } from './column-type.js';
import { frozenOf } from './frozen.js';
import { staticOf } from './static.js';
import { withFieldTypes } from './user-types.js';

/** Whether the server supports more than the specification: see `docs/differences.md`. */
export type Dialect = 'strict' | 'extended';

const forms: Readonly<Record<Dialect, WeakMap<ColumnType, ColumnType>>> = {
  strict: new WeakMap(),
  extended: new WeakMap(),
};

/**
 * The type as a dialect supports it: with the same name, and the same values in the same stored form. The same type
 * always gives the same object, and a type of the dialect gives itself.
 */
export function inDialect(type: ColumnType, dialect: Dialect): ColumnType {
  return getOrMake(forms[dialect], type, () => {
    const form = dialect === 'strict' ? strictForm(type) : withTextSearch(extendedForm(type));
    forms[dialect].set(form, form);
    return form;
  });
}

/** A column that the extended dialect created is listed, and commands read around it. */
function strictForm(type: ColumnType): ColumnType {
  return type.isExtended === true ? unsupportedForm(type) : type;
}

function unsupportedForm(type: ColumnType): ColumnType {
  const { container: _, frozen: __, extendedLiteral: ___, definitionBesideRows: ____, ...rest } = type;
  return {
    ...rest,
    label: `unsupported ${cqlDefinition(type)}`,
    help: 'a type of the extended dialect',
    definition: '{"type":"UNSUPPORTED"}',
    parse: () => {
      throw new ValueMismatch(`columns of the type ${cqlDefinition(type)} need the extended dialect`);
    },
    traits: { ...type.traits, key: false, filterable: false, range: false, index: 'none', creatable: false },
    apiSupport: { createTable: false, insert: false, read: false, filter: false },
    examples: { accepts: [], rejects: ['1', 'true', '"a"', '[]', '{}'] },
  };
}

function extendedForm(type: ColumnType): ColumnType {
  const { frozen, container, userType, extendedLiteral, static: inside } = type;
  if (inside !== undefined) return staticOf(inDialect(inside, 'extended'));
  if (frozen !== undefined) {
    const form = frozenOf(inDialect(frozen, 'extended'));
    const accessible = { ...form, ...fullAccess(form, false) };
    if (frozen.userType === undefined) return accessible;
    const { apiSupport: _, ...unmarked } = accessible; // as the public API shows it
    return unmarked;
  }
  if (container !== undefined) {
    const form = container.withMembers(container.members.map((member) => inDialect(member, 'extended')));
    return { ...form, ...fullAccess(form, form.traits.creatable) };
  }
  if (userType !== undefined) return withFieldTypes(userType, (field) => inDialect(field, 'extended'));
  if (extendedLiteral === undefined) return type;
  return { ...type, parse: (json) => type.parse(extendedLiteral(json)) };
}

/**
 * The strict dialect has no text search, and so no text index for any column. Where there is one, `$match` is an
 * operator for texts.
 */
function withTextSearch(type: ColumnType): ColumnType {
  const { text, matchable } = type.traits;
  return text === matchable ? type : { ...type, traits: { ...type.traits, matchable: text } };
}

/** Commands insert, read and filter values of the type. */
function fullAccess(
  { traits }: ColumnType,
  createTable: boolean,
): Pick<ColumnType, 'traits'> & Partial<Pick<ColumnType, 'apiSupport'>> {
  const access = { traits: { ...traits, filterable: true } };
  if (createTable) return access;
  return { ...access, apiSupport: { createTable, insert: true, read: true, filter: true } };
}
