// Column types by the texts in which a cluster names them.
import {
  type ColumnType,
  cqlDefinition,
  hasReadableFields,
  type UserTypeDefinition,
} from '../../../column-types/column-type.js';
import { listOf, mapOf, setOf } from '../../../column-types/containers.js';
import { type Dialect, inDialect } from '../../../column-types/dialect.js';
import { frozenOf } from '../../../column-types/frozen.js';
import { columnTypeNamed } from '../../../column-types/registry.js';
import { canBeStatic, staticOf } from '../../../column-types/static.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { unsupportedOf } from '../../../column-types/unsupported.js';
import { userDefinedOf } from '../../../column-types/user-types.js';

/** What the texts of a keyspace mean. */
export interface TypePlace {
  readonly dialect: Dialect;
  /** The strict dialect has none, because it lists types by their texts. */
  readonly userTypes: ReadonlyMap<string, UserTypeDefinition>;
}

/** The type of a column by its text in CQL: `frozen<map<text, int>>`. Others are listed, and hold no values here. */
export function columnTypeOf(text: string, isStatic: boolean, { dialect, userTypes }: TypePlace): ColumnType {
  const type = typeOf(text, userTypes);
  if (!isStatic) return inDialect(type, dialect);
  const isShown = dialect === 'extended' && canBeStatic(type);
  return isShown
    ? inDialect(staticOf(type), dialect)
    : unsupportedOf(`static ${cqlDefinition(inDialect(type, dialect))}`);
}

function typeOf(text: string, userTypes: TypePlace['userTypes']): ColumnType {
  return (
    columnTypeOfName(text.replaceAll(', ', ',')) ?? withUserTypes(text, userTypes) ?? unsupportedOf(text)
  );
}

/** A user-defined type, frozen or not, or a container of such; frozen ones, too. */
function withUserTypes(text: string, userTypes: TypePlace['userTypes']): ColumnType | undefined {
  const [, kind, inside = ''] = /^(frozen|list|set|map)<(.+)>$/.exec(text) ?? [];
  switch (kind) {
    case undefined: {
      const definition = userTypes.get(nameOf(text));
      return definition === undefined || !hasReadableFields(definition)
        ? undefined
        : userDefinedOf(definition);
    }
    case 'frozen': {
      const type = typeOf(inside, userTypes);
      return type.container === undefined && type.userType === undefined ? undefined : frozenOf(type);
    }
    case 'map': {
      const [, keyName = '', valueText = ''] = /^(\w+), (.+)$/.exec(inside) ?? [];
      const key = columnTypeNamed(keyName);
      const value = memberOf(valueText, userTypes);
      return key === undefined || value === undefined ? undefined : mapOf(key, value);
    }
    default: {
      const element = memberOf(inside, userTypes);
      if (element === undefined) return undefined;
      return kind === 'list' ? listOf(element) : setOf(element);
    }
  }
}

/** Inside containers user-defined types are frozen; inside frozen ones the text does not say so. */
function memberOf(text: string, userTypes: TypePlace['userTypes']): ColumnType | undefined {
  const type = typeOf(text, userTypes);
  const own = type.frozen ?? type;
  return own.userType !== undefined || columnTypeNamed(own.name) === own ? own : undefined;
}

function nameOf(text: string): string {
  return /^"(.+)"$/.exec(text)?.[1]?.replaceAll('""', '"') ?? text;
}

/**
 * Whether the text is the name of a user-defined type, not frozen: Cassandra drops no column of it. Names of others are
 * in `frozen<…>`, and classes in quotes of their own.
 */
export function isUserDefined(text: string): boolean {
  return columnTypeOfName(text) === undefined && /^(\w+|"([^"]|"")+")$/.test(text);
}
