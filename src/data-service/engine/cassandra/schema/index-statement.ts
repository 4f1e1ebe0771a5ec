// The statement that makes an index.
import { isExact } from '../../../column-types/text-fold.js';
import type { IndexDefinition, Table } from '../../../schema/table.js';
import { quotedColumn, quotedName, quotedTable, textLiteral } from '../cql-names.js';

/** The public API knows only indexes that were made under this class name. */
export function createIndexStatement(
  table: Table,
  index: IndexDefinition,
  condition: '' | 'IF NOT EXISTS ' = '',
): string {
  const options = Object.entries(indexOptions(table, index)).map(
    ([option, value]) => `${textLiteral(option)}: ${textLiteral(String(value))}`,
  );
  const name = `${condition}${quotedName(index.name)}`;
  const what = `CREATE CUSTOM INDEX ${name} ON ${quotedTable(table)} (${targetOf(index)})`;
  return `${what} USING 'StorageAttachedIndex'${options.length === 0 ? '' : ` WITH OPTIONS = {${options.join(', ')}}`}`;
}

/** Cassandra calls the elements of lists and sets values, too. */
function targetOf(index: IndexDefinition): string {
  const name = quotedColumn(index.column);
  if (index.kind !== 'container') return name;
  return `${index.part === 'elements' ? 'values' : index.part}(${name})`;
}

/** On columns of the key an index takes no options for texts, not even those that change nothing. */
function indexOptions(table: Table, index: IndexDefinition): Readonly<Record<string, string | boolean>> {
  switch (index.kind) {
    case 'text':
      throw new TypeError('Cassandra has no text indexes');
    case 'vector':
      // Searches of files compare more vectors, and find more of the nearest ones at the same rate (decision 0145).
      return { similarity_function: index.metric, optimize_for: 'recall' };
    case 'container':
    case 'regular': {
      if (index.fold === null || (table.keyColumns.includes(index.column) && isExact(index.fold))) return {};
      const { ascii, caseSensitive, normalize } = index.fold;
      return { ascii, case_sensitive: caseSensitive, normalize };
    }
  }
}
