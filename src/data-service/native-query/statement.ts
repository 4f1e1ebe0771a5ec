// The supported statements of the native query language, in parsed form.
import type { ColumnType } from '../column-types/column-type.js';
import type { ScalarOperatorName } from '../query/filter-operators.js';
import type { Term } from './term.js';
import type { TableName } from './token-reader.js';

/** A column as CREATE TABLE and ALTER TABLE define it. */
export interface StatedColumn {
  readonly name: string;
  readonly type: ColumnType;
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

/** A statement about a table. */
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
