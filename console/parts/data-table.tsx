// A table of moderate size. Its columns say how a row is shown; on phones a row is a block of its cells.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A column. */
export interface TableColumn<Row> {
  /** The heading. A column of buttons has none. */
  readonly title?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `wide` takes the space that is left and breaks anywhere; `text` has room for some words; `line` has no breaks. */
  readonly kind?: 'wide' | 'text' | 'line' | 'number' | 'buttons';
  /** On phones the heading stands before the value: for values that do not say what they are. */
  readonly isNamed?: boolean;
}

const classes = {
  wide: 'wide-cell',
  text: 'text-cell',
  line: 'nowrap',
  number: 'number',
  buttons: 'end',
} as const;

/** A table in a frame that scrolls sideways where it is too wide. */
export function DataTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** What identifies a row. */
  readonly keyOf: (row: Row) => string;
  /** The row that a link names: it is marked and scrolled to. */
  readonly markedKey?: string | undefined;
}) {
  const { label, columns, rows, keyOf, markedKey } = props;
  const marked = useRef<HTMLTableRowElement>(null);
  useEffect(() => marked.current?.scrollIntoView({ block: 'nearest' }), [markedKey]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what they can focus
    <section class="table-frame" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ title, kind }, at) => (
              <th key={at} scope="col" class={kind === undefined ? undefined : classes[kind]}>
                {title ?? <span class="hidden-label">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              {...(keyOf(row) === markedKey ? { ref: marked, 'aria-current': 'true' } : {})}
            >
              {columns.map(({ title, cell, kind, isNamed }, at) => (
                <td
                  key={at}
                  class={kind === undefined ? undefined : classes[kind]}
                  data-title={isNamed === true ? title : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
