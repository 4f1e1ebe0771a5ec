// What a move reports while it runs.

/** A table or collection that was moved. */
export interface MovedTotals {
  readonly name: string;
  readonly kind: 'table' | 'collection';
  readonly rows: number;
  readonly checksum: string;
  /** Rows that the target refused. */
  readonly refused?: number;
  /** Whether the rows of the target were compared; undefined for an export. */
  readonly verified?: boolean;
  /** Rows that the target has behind the import of a file, which may be more than those of the file. */
  readonly rowsOfTarget?: number;
}

export interface MoveReport {
  line(text: string): void;
  /** A row that was refused, or a difference. */
  warn(text: string): void;
  finished(totals: MovedTotals): void;
  /** The share that is done, 0 to 1, or undefined if the number of rows is not known. */
  progress(label: string, share: number | undefined): void;
  /** Whether the progress is shown. */
  readonly showsProgress: boolean;
}

/** Says which tables failed, after the problem of each. */
export function failedText(names: readonly string[]): string {
  return `not moved: ${names.join(', ')}; the same command continues with what is not moved`;
}
