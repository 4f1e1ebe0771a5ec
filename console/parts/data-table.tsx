// A table of moderate size. Its columns say how a row is shown; on phones a row is a block of its cells.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

export interface TableColumn<Row> {
  /** The heading. A column of buttons has none. */
  readonly title?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `wide` takes the space that is left and breaks anywhere; `text` has room for some words; `line` has no breaks. */
  readonly kind?: 'wide' | 'text' | 'line' | 'number' | 'buttons';
  /** Phones show the heading before the value. It is for values that do not say what they are. */
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
        {partsOf(rows, keyOf).map(({ id, rows: part }) => (
          <TableBody key={id} {...{ columns, keyOf, markedKey, marked }} rows={part} />
        ))}
      </table>
    </section>
  );
}

/** About how many rows a part has. */
const partLength = 50;

/**
 * The rows in parts that stay the same while rows are added at the top or dropped at the bottom: the keys of rows say
 * where a part ends. Only parts that changed are drawn again.
 */
function partsOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string) {
  const parts: { readonly id: string; readonly rows: readonly Row[] }[] = [];
  let start = 0;
  for (const [at, row] of rows.entries()) {
    const key = keyOf(row);
    if (at < rows.length - 1 && hashOf(key) % partLength !== 0) continue;
    parts.push({ id: key, rows: rows.slice(start, at + 1) });
    start = at + 1;
  }
  return parts;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) % 65_521;
  return hash;
}

function TableBody<Row>(props: {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly markedKey: string | undefined;
  readonly marked: { current: HTMLTableRowElement | null };
}) {
  const { columns, keyOf, markedKey, marked } = props;
  const rows = useSame(props.rows);
  // Preact does not compare an element with itself.
  return useMemo(
    () => (
      <tbody>
        {rows.map((row) => (
          <TableRow
            key={keyOf(row)}
            columns={columns}
            row={row}
            marked={keyOf(row) === markedKey ? marked : undefined}
          />
        ))}
      </tbody>
    ),
    [columns, rows, keyOf, markedKey],
  );
}

/** The list of the time before as long as its members are the same. */
function useSame<Row>(rows: readonly Row[]): readonly Row[] {
  const known = useRef(rows);
  const isSame = known.current.length === rows.length && rows.every((row, at) => row === known.current[at]);
  if (!isSame) known.current = rows;
  return known.current;
}

function TableRow<Row>(props: {
  readonly columns: readonly TableColumn<Row>[];
  readonly row: Row;
  readonly marked: { current: HTMLTableRowElement | null } | undefined;
}) {
  const { columns, row, marked } = props;
  return useMemo(
    () => (
      <tr {...(marked === undefined ? {} : { ref: marked, 'aria-current': 'true' })}>
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
    ),
    [columns, row, marked],
  );
}
