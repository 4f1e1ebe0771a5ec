// Reads CREATE TABLE, ALTER TABLE and DROP TABLE; their first words were read before.
import { readColumnType } from './read-type.js';
import type { StatedColumn, Statement } from './statement.js';
import type { TokenReader } from './token-reader.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** `[IF NOT EXISTS] ks.t (a int, b text STATIC, PRIMARY KEY ((a), c)) [WITH CLUSTERING ORDER BY (c DESC)]`. */
export function readCreateTable(reader: TokenReader): Of<'createTable'> {
  const ifNotExists = reader.takeWords('if', 'not', 'exists');
  const target = reader.expectTableName();
  const columns: StatedColumn[] = [];
  let key: TableKey | undefined;
  reader.listInBrackets(() => {
    if (reader.takeWords('primary', 'key')) {
      if (key !== undefined) throw reader.refusal('one PRIMARY KEY');
      key = readKey(reader);
      return;
    }
    const column = readColumn(reader);
    columns.push(column);
    if (!reader.takeWords('primary', 'key')) return;
    if (key !== undefined) throw reader.refusal('one PRIMARY KEY');
    key = { partitionKey: [column.name], clustering: [] };
  });
  // The compiler does not see that the function above sets it.
  const found = key as TableKey | undefined;
  const order = reader.takeWords('with') ? readOrder(reader) : [];
  return {
    kind: 'createTable',
    target,
    ifNotExists,
    columns,
    partitionKey: found?.partitionKey ?? [],
    clustering: found?.clustering ?? [],
    order,
  };
}

/** `[IF EXISTS] ks.t ADD [IF NOT EXISTS] a int, b text` or `… DROP [IF EXISTS] a, b`, columns also in brackets. */
export function readAlterTable(reader: TokenReader): Of<'addColumns' | 'dropColumns'> {
  const ifExists = reader.takeWords('if', 'exists');
  const target = reader.expectTableName();
  if (reader.takeWords('add')) {
    const ifNotExists = reader.takeWords('if', 'not', 'exists');
    const columns = readList(reader, () => readColumn(reader));
    return { kind: 'addColumns', target, ifExists, ifNotExists, columns };
  }
  if (!reader.takeWords('drop')) throw reader.refusal('ADD or DROP');
  const ifColumnExists = reader.takeWords('if', 'exists');
  const columns = readList(reader, () => reader.expectName('the name of a column'));
  return { kind: 'dropColumns', target, ifExists, ifColumnExists, columns };
}

/** `[IF EXISTS] ks.t`. */
export function readDropTable(reader: TokenReader): Of<'dropTable'> {
  const ifExists = reader.takeWords('if', 'exists');
  return { kind: 'dropTable', ifExists, target: reader.expectTableName() };
}

interface TableKey {
  readonly partitionKey: readonly string[];
  readonly clustering: readonly string[];
}

/** `(a, b)` or `((a, b), c)`. */
function readKey(reader: TokenReader): TableKey {
  const readName = () => reader.expectName('the name of a column');
  reader.expectSymbol('(');
  const { kind, text } = reader.peek();
  const partitionKey = kind === 'symbol' && text === '(' ? reader.listInBrackets(readName) : [readName()];
  const clustering = reader.takeSymbol(',') ? reader.list(readName) : [];
  reader.expectSymbol(')');
  return { partitionKey, clustering };
}

function readColumn(reader: TokenReader): StatedColumn {
  const name = reader.expectName('the name of a column');
  const type = readColumnType(reader);
  return { name, type, isStatic: reader.takeWords('static') };
}

function readOrder(reader: TokenReader): Of<'createTable'>['order'] {
  if (!reader.takeWords('clustering', 'order', 'by'))
    throw reader.refusal('CLUSTERING ORDER BY, the only table option that is supported');
  return reader.listInBrackets(() => {
    const column = reader.expectName('the name of a column');
    if (reader.takeWords('desc')) return { column, direction: -1 as const };
    reader.takeWords('asc');
    return { column, direction: 1 as const };
  });
}

function readList<Item>(reader: TokenReader, read: () => Item): readonly Item[] {
  const { kind, text } = reader.peek();
  return kind === 'symbol' && text === '(' ? reader.listInBrackets(read) : reader.list(read);
}
