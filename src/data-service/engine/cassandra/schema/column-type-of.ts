// Column types by the texts in which a cluster names them.
import { type ColumnType, cqlDefinition } from '../../../column-types/column-type.js';
import { inDialect } from '../../../column-types/dialect.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { unsupportedOf } from '../../../column-types/unsupported.js';

/** The type of a column by its text in CQL: `frozen<map<text, int>>`. Others are listed, and hold no values here. */
export function columnTypeOf(text: string, isStatic: boolean): ColumnType {
  const type = typeOf(text);
  return isStatic ? unsupportedOf(`static ${cqlDefinition(type)}`) : type;
}

function typeOf(text: string): ColumnType {
  const type = columnTypeOfName(text.replaceAll(', ', ','));
  return type === undefined ? unsupportedOf(text) : inDialect(type, 'strict');
}

/**
 * Whether the text is the name of a user-defined type, not frozen: Cassandra drops no column of it. Names of others are
 * in `frozen<…>`, and classes in quotes of their own.
 */
export function isUserDefined(text: string): boolean {
  return columnTypeOfName(text) === undefined && /^(\w+|"([^"]|"")+")$/.test(text);
}
