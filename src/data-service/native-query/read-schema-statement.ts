// Reads statements about user-defined types and indexes; their first words were read before.
import type { PartName } from '../column-types/column-type.js';
import { readColumnType } from './read-type.js';
import type { StatedField, Statement } from './statement.js';
import type { TokenReader } from './token-reader.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** `[IF NOT EXISTS] ks.address (street text, zip int)`. */
export function readCreateType(reader: TokenReader): Of<'createType'> {
  const ifNotExists = reader.takeWords('if', 'not', 'exists');
  const target = reader.expectTableName('type');
  return { kind: 'createType', target, ifNotExists, fields: reader.listInBrackets(() => readField(reader)) };
}

/** `[IF EXISTS] ks.address ADD a int, b text` or `… RENAME a TO b AND c TO d`. */
export function readAlterType(reader: TokenReader): Of<'alterType'> {
  const ifExists = reader.takeWords('if', 'exists');
  const target = reader.expectTableName('type');
  const base = { kind: 'alterType', target, ifExists } as const;
  if (reader.takeWords('add')) return { ...base, added: reader.list(() => readField(reader)), renames: [] };
  if (!reader.takeWords('rename')) throw reader.refusal('ADD or RENAME');
  const renames = [readRename(reader)];
  while (reader.takeWords('and')) renames.push(readRename(reader));
  return { ...base, added: [], renames };
}

/** `[IF EXISTS] ks.address`. */
export function readDropType(reader: TokenReader): Of<'dropType'> {
  const ifExists = reader.takeWords('if', 'exists');
  return { kind: 'dropType', ifExists, target: reader.expectTableName('type') };
}

/** `[IF NOT EXISTS] [name] ON ks.t (a) [USING 'sai']`; the column can be in `keys()`, `values()` or `entries()`. */
export function readCreateIndex(reader: TokenReader): Of<'createIndex'> {
  const ifNotExists = reader.takeWords('if', 'not', 'exists');
  const isNamed = !reader.takeWords('on');
  const name = isNamed ? reader.expectName('the name of an index') : undefined;
  if (isNamed) reader.expectWords('on');
  const target = reader.expectTableName();
  reader.expectSymbol('(');
  const first = reader.expectName('the name of a column');
  const part = reader.takeSymbol('(') ? partOf(reader, first) : undefined;
  const column = part === undefined ? first : reader.expectName('the name of a column');
  if (part !== undefined) reader.expectSymbol(')');
  reader.expectSymbol(')');
  if (reader.takeWords('using')) readKind(reader);
  return { kind: 'createIndex', target, ifNotExists, name, column, part };
}

/** `[IF EXISTS] ks.name`. */
export function readDropIndex(reader: TokenReader): Of<'dropIndex'> {
  const ifExists = reader.takeWords('if', 'exists');
  return { kind: 'dropIndex', ifExists, target: reader.expectTableName('index') };
}

function readField(reader: TokenReader): StatedField {
  return { name: reader.expectName('the name of a field'), type: readColumnType(reader) };
}

function readRename(reader: TokenReader): readonly [from: string, to: string] {
  const from = reader.expectName('the name of a field');
  reader.expectWords('to');
  return [from, reader.expectName('the new name of the field')];
}

function partOf(reader: TokenReader, word: string): PartName {
  const parts: Readonly<Record<string, PartName | undefined>> = {
    keys: 'keys',
    values: 'values',
    entries: 'entries',
  };
  const part = parts[word];
  if (part === undefined) throw reader.refusal('")"', 'a part of a map is keys(m), values(m) or entries(m)');
  return part;
}

function readKind(reader: TokenReader): void {
  const { kind, text } = reader.peek();
  const isKnown = /^(sai|(org\.apache\.cassandra\.index\.sai\.)?storageattachedindex)$/i.test(text);
  if (kind !== 'string' || !isKnown) throw reader.refusal("'sai', the only kind of index");
  reader.take();
}
