// The definitions of lists, sets and maps in replies, and their names in messages.
import type { JsonText } from '../../foundation/json/json-value.js';
import { type ColumnType, labelOf } from './column-type.js';

/** The definitions of a container, by the types of its members. */
export function definitionsOf(
  kind: 'list' | 'set' | 'map',
  members: Readonly<Record<string, ColumnType>>,
): Pick<ColumnType, 'definition'> & Partial<Pick<ColumnType, 'definitionBesideRows' | 'label'>> {
  const types = Object.entries(members);
  const write = (definitionOf: (type: ColumnType) => JsonText) =>
    `{"type":"${kind}",${types.map(([member, type]) => `"${member}":${definitionOf(type)}`).join(',')}}`;
  const definition = write((type) => type.definition ?? `"${type.name}"`);
  if (types.every(([, type]) => type.label === undefined)) return { definition };
  return {
    definition,
    definitionBesideRows: write((type) => type.definitionBesideRows ?? type.definition ?? `"${type.name}"`),
    label: `${kind}<${types.map(([, type]) => labelOf(type)).join(',')}>`,
  };
}
