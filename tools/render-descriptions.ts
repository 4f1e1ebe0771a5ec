// Renders the descriptions in `src/descriptions/` from the registries of the data service.
import type { ColumnType } from '../src/data-service/column-types/column-type.js';
import { isWritable } from '../src/data-service/column-types/column-type.js';
import { listOf, mapOf, setOf } from '../src/data-service/column-types/containers.js';
import { inDialect } from '../src/data-service/column-types/dialect.js';
import { frozenOf } from '../src/data-service/column-types/frozen.js';
import { columnTypes } from '../src/data-service/column-types/registry.js';
import { text } from '../src/data-service/column-types/text.js';
import { unsupportedOf } from '../src/data-service/column-types/unsupported.js';
import { userDefinedOf } from '../src/data-service/column-types/user-types.js';
import { vectorOf } from '../src/data-service/column-types/vector.js';
import { commands } from '../src/data-service/commands/registry.js';
import type { TypeDescription, TypeUse } from '../src/descriptions/value-input.js';

/** The text of `src/descriptions/column-types.ts`: all types that the definitions of columns can name. */
export function renderTypeDescriptions(): string {
  // The definitions of other names of a type have the name of that type.
  const scalars = columnTypes.filter(({ definition }) => definition === undefined);
  const userDefined = userDefinedOf({ keyspace: 'a', name: 'a', fields: [] });
  const others = [vectorOf(1), listOf(text), setOf(text), mapOf(text, text), userDefined, unsupportedOf('a')];
  return renderModule(
    "import type { TypeDescription } from './value-input.js';",
    'typeDescriptions: readonly TypeDescription[]',
    [...scalars, ...others].map(describeType),
  );
}

/** The text of `src/descriptions/removing-commands.ts`. */
export function renderRemovingCommands(): string {
  const names = new Set(commands.flatMap(({ name, removes }) => (removes === true ? [name] : [])));
  return `
/** The names of the commands that drop or delete something whenever they succeed. */
export const removingCommands: readonly string[] = [
${[...names].map((name) => `  '${name}',\n`).join('')}];
`;
}

function describeType(type: ColumnType): TypeDescription {
  const definition: { type: string } = JSON.parse(type.definition ?? JSON.stringify({ type: type.name }));
  const { type: name, ...parts } = definition;
  const named = Object.keys(parts);
  return {
    name,
    ...type.input,
    uses: usesOf(type),
    ...(named.length === 0 ? {} : { parts: named }),
  };
}

/** The uses that columns with such a definition can have, in any dialect and also when their values are frozen. */
function usesOf(type: ColumnType): readonly TypeUse[] {
  const { traits, container, userType, add } = type;
  const frozen = container === undefined && userType === undefined ? [] : [frozenOf(type)];
  const forms = [type, ...[type, ...frozen].map((form) => inDialect(form, 'extended'))];
  const isFilterable = forms.some((form) => form.traits.filterable);
  const uses: Readonly<Record<TypeUse, boolean>> = {
    create: traits.creatable,
    insert: forms.some(isWritable),
    filter: isFilterable && container === undefined,
    members: container !== undefined,
    order: traits.range,
    words: traits.text,
    count: add !== undefined,
  };
  return Object.keys(uses).filter((use): use is TypeUse => uses[use as TypeUse]);
}

/** A module with one list of plain objects, in the form of the formatter. */
function renderModule(imports: string, declaration: string, entries: readonly object[]): string {
  const lines = entries.map((entry) => renderEntry(Object.entries(entry).map(renderMember)));
  return `${imports}

/** In the order of the reference. */
export const ${declaration} = [
${lines.join('\n')}
];
`;
}

/** The formatter writes an object in one line if it is not longer than 110 characters. */
function renderEntry(members: readonly string[]): string {
  const line = `  { ${members.join(', ')} },`;
  return line.length <= 110 ? line : `  {\n${members.map((member) => `    ${member},\n`).join('')}  },`;
}

function renderMember([name, value]: readonly [string, unknown]): string {
  return `${name}: ${renderValue(value)}`;
}

function renderValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`;
  return typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : String(value);
}
