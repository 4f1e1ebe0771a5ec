// What clients know of the types of columns: the command line and the console find it by the name of a type.
import { typeDescriptions } from './column-types.js';
import type { TypeDescription } from './value-input.js';

const byName: ReadonlyMap<string, TypeDescription> = new Map(
  typeDescriptions.map((type) => [type.name, type]),
);

/** The type with the name that definitions have; one that is not known is written as a word and has no uses. */
export function describedType(name: string): TypeDescription {
  return byName.get(name) ?? { name, kind: 'word', uses: [] };
}

/** Whether values are typed as they are. Those of other types are typed as JSON. */
export function isTypedAsText({ kind }: TypeDescription): boolean {
  return kind === 'text' || kind === 'word' || kind === 'date' || kind === 'timestamp';
}

/** Whether values are numbers. */
export function isNumeric({ kind }: TypeDescription): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'float';
}
