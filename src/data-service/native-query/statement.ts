// The supported statements of the native query language, in parsed form.
import type { PartName } from '../column-types/column-type.js';
import type { ScalarOperatorName } from '../query/filter-operators.js';
import type { StatedType } from './read-type.js';
import type { Term } from './term.js';
import type { TableName } from './token-reader.js';

/** A column as CREATE TABLE and ALTER TABLE define it. */
export interface StatedColumn {
  readonly name: string;
  readonly type: StatedType;
  readonly isStatic: boolean;
}

/** `column = term`; IN has any number of terms. */
export interface Relation {
  readonly column: string;
  readonly operator: ScalarOperatorName;
  readonly terms: readonly Term[];
}

/** How UPDATE changes a column. */
export interface Assignment {
  readonly column: string;
  readonly kind: 'set' | 'add' | 'subtract';
  readonly term: Term;
}

/** A field as CREATE TYPE and ALTER TYPE define it. */
export interface StatedField {
  readonly name: string;
  readonly type: StatedType;
}

/** A statement about a user-defined type or an index. */
export type SchemaStatement =
  | { readonly kind: 'createType'; readonly ifNotExists: boolean; readonly fields: readonly StatedField[] }
  | {
      readonly kind: 'alterType';
      readonly ifExists: boolean;
      readonly added: readonly StatedField[];
      readonly renames: readonly (readonly [from: string, to: string])[];
    }
  | { readonly kind: 'dropType'; readonly ifExists: boolean }
  | {
      readonly kind: 'createIndex';
      readonly ifNotExists: boolean;
      /** Undefined for a name like `t_column_idx`. */
      readonly name: string | undefined;
      readonly column: string;
      /** `keys(m)` and so on; undefined for a column alone. */
      readonly part: PartName | undefined;
    }
  | { readonly kind: 'dropIndex'; readonly ifExists: boolean };

/** A statement about what its target names: a table, a user-defined type, an index to drop. */
export type Statement = { readonly target: TableName } & (
  | {
      readonly kind: 'createTable';
      readonly ifNotExists: boolean;
      readonly columns: readonly StatedColumn[];
      readonly partitionKey: readonly string[];
      readonly clustering: readonly string[];
      /** The columns of CLUSTERING ORDER BY. */
      readonly order: readonly { readonly column: string; readonly direction: 1 | -1 }[];
    }
  | {
      readonly kind: 'addColumns';
      readonly ifExists: boolean;
      readonly ifNotExists: boolean;
      readonly columns: readonly StatedColumn[];
    }
  | {
      readonly kind: 'dropColumns';
      readonly ifExists: boolean;
      readonly ifColumnExists: boolean;
      readonly columns: readonly string[];
    }
  | { readonly kind: 'dropTable'; readonly ifExists: boolean }
  | SchemaStatement
  | { readonly kind: 'insert'; readonly columns: readonly string[]; readonly terms: readonly Term[] }
  | {
      readonly kind: 'update';
      readonly assignments: readonly Assignment[];
      readonly where: readonly Relation[];
    }
  /** `columns` is empty for whole rows. */
  | { readonly kind: 'delete'; readonly columns: readonly string[]; readonly where: readonly Relation[] }
  /** `columns` is undefined for all columns. */
  | {
      readonly kind: 'select';
      readonly columns: readonly string[] | undefined;
      readonly where: readonly Relation[];
      readonly limit: number | undefined;
    }
);
