// Reads INSERT, UPDATE, DELETE and SELECT; their first words were read before.

import { NativeQueryRefused } from '../engine/native-result.js';
import type { ScalarOperatorName } from '../query/filter-operators.js';
import type { Assignment, Relation, Statement } from './statement.js';
import { readTerm } from './term.js';
import type { TokenReader } from './token-reader.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** `ks.t (a, b) VALUES (1, 'x')`. */
export function readInsert(reader: TokenReader): Of<'insert'> {
  const target = reader.expectTableName();
  const columns = reader.listInBrackets(() => readColumnName(reader));
  reader.expectWords('values');
  const terms = reader.listInBrackets(() => readTerm(reader));
  if (terms.length !== columns.length)
    throw new NativeQueryRefused(
      `the numbers of columns and values are different: ${columns.length} and ${terms.length}`,
    );
  return { kind: 'insert', target, columns, terms };
}

/** `ks.t SET a = 1, c = c + 1 WHERE id = 1`. */
export function readUpdate(reader: TokenReader): Of<'update'> {
  const target = reader.expectTableName();
  reader.expectWords('set');
  const assignments = reader.list(() => readAssignment(reader));
  return { kind: 'update', target, assignments, where: readWhere(reader) };
}

/** `[a, b] FROM ks.t WHERE id = 1`. */
export function readDelete(reader: TokenReader): Of<'delete'> {
  const columns = reader.takeWords('from') ? [] : reader.list(() => readColumnName(reader));
  if (columns.length > 0) reader.expectWords('from');
  const target = reader.expectTableName();
  return { kind: 'delete', target, columns, where: readWhere(reader) };
}

/** `* FROM ks.t WHERE id = 1 [LIMIT 10]`, or names of columns. */
export function readSelect(reader: TokenReader): Of<'select'> {
  const columns = reader.takeSymbol('*') ? undefined : reader.list(() => readColumnName(reader));
  reader.expectWords('from');
  const target = reader.expectTableName();
  const where = readWhere(reader);
  if (!reader.takeWords('limit')) return { kind: 'select', target, columns, where, limit: undefined };
  const { kind, text } = reader.peek();
  const limit = Number(text);
  if (kind !== 'number' || !Number.isSafeInteger(limit) || limit < 1)
    throw reader.refusal('a number of rows');
  reader.take();
  return { kind: 'select', target, columns, where, limit };
}

function readColumnName(reader: TokenReader): string {
  return reader.expectName('the name of a column');
}

/** `a = 1`, `c = c + 1`, `c += 1`. */
function readAssignment(reader: TokenReader): Assignment {
  const column = readColumnName(reader);
  if (reader.takeSymbol('+=')) return { column, kind: 'add', term: readTerm(reader) };
  if (reader.takeSymbol('-=')) return { column, kind: 'subtract', term: readTerm(reader) };
  if (!reader.takeSymbol('=')) throw reader.refusal('"=", "+=" or "-="');
  if (!isName(reader, column)) return { column, kind: 'set', term: readTerm(reader) };
  reader.take();
  if (reader.takeSymbol('+')) return { column, kind: 'add', term: readTerm(reader) };
  if (reader.takeSymbol('-')) return { column, kind: 'subtract', term: readTerm(reader) };
  throw reader.refusal('"+" or "-"');
}

/**
 * Whether the name of the column itself comes next. In the position of a value, a name may also be the word of a
 * literal.
 */
function isName(reader: TokenReader, column: string): boolean {
  const { kind, text } = reader.peek();
  return (kind === 'name' || kind === 'quotedName') && text === column;
}

const operators: readonly (readonly [symbol: string, name: ScalarOperatorName])[] = [
  ['=', '$eq'],
  ['<', '$lt'],
  ['<=', '$lte'],
  ['>', '$gt'],
  ['>=', '$gte'],
];

const needsKey = 'WHERE must select rows by the partition key; the command find reads all rows of a table';

function readWhere(reader: TokenReader): readonly Relation[] {
  if (!reader.takeWords('where')) throw reader.refusal('WHERE', needsKey);
  const relations = [readRelation(reader)];
  while (reader.takeWords('and')) relations.push(readRelation(reader));
  return relations;
}

function readRelation(reader: TokenReader): Relation {
  const column = readColumnName(reader);
  if (reader.takeWords('in'))
    return { column, operator: '$in', terms: reader.listInBrackets(() => readTerm(reader)) };
  for (const [symbol, operator] of operators) {
    if (reader.takeSymbol(symbol)) return { column, operator, terms: [readTerm(reader)] };
  }
  throw reader.refusal('=, <, <=, >, >= or IN');
}
