// A grid for thousands of rows and columns: only those in view are elements.
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out rows and keep their places.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its marked cell.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys of all rows are handled by the grid.
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: grids have the properties used here.
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** A column of the grid. */
export interface GridColumn {
  readonly id: string;
  readonly title: string;
  /** Below the title: the type. */
  readonly note?: string;
  readonly icon?: 'key' | undefined;
  readonly widthPx: number;
  readonly isNumber?: boolean;
  readonly order?: 'ascending' | 'descending' | undefined;
  readonly canSort?: boolean;
}

/** A grid of rows of one height. */
export interface GridProps<Row> {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  readonly rows: readonly Row[];
  readonly cell: (row: Row, column: GridColumn) => ComponentChildren;
  readonly onSort?: (column: GridColumn) => void;
  /** Enter, or a click on a row. */
  readonly onOpen: (row: Row) => void;
  /** The last rows have come into view. */
  readonly onEnd?: () => void;
  /** Below the last row. */
  readonly foot?: ComponentChildren;
}

const rowPx = 32;
const headPx = 44;
/** Rows above and below the view that are elements, too. */
const spareRows = 8;

/** Shows rows; the arrow keys, Page Up and Down, Home and End move the marked cell, Enter opens its row. */
export function Grid<Row>(props: GridProps<Row>) {
  const { columns, rows } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState({ row: 0, column: 0 });
  const { view, look } = useView(frame, rows.length, columns, props.onEnd);
  const cells = useCells(columns, view);
  const moveTo = (row: number, column: number) => {
    const next = { row: within(row, rows.length), column: within(column, columns.length) };
    setActive(next);
    if (frame.current !== null) reveal(frame.current, next, columns);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active.row];
    if (event.key === 'Enter' && event.target === frame.current && row !== undefined) props.onOpen(row);
    const step = stepOf(event.key, frame.current?.clientHeight ?? 0, rows.length);
    if (step === undefined || event.target !== frame.current) return;
    event.preventDefault();
    moveTo(active.row + step.rows, active.column + step.columns);
  };
  const open = useOpen(props, (row) => setActive(({ column }) => ({ row, column })));
  const width = widthOf(columns);
  const shown = rows.slice(view.first, view.first + view.count);
  return (
    <div
      ref={frame}
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={shown.length === 0 ? undefined : `${id}-active`}
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <GridHead cells={cells} onSort={props.onSort} widthPx={width} />
      <div
        class="grid-body"
        role="rowgroup"
        style={{ height: `${rows.length * rowPx}px`, width: `max(100%, ${width}px)` }}
      >
        {shown.map((row, at) => (
          <GridRow
            key={view.first + at}
            cells={cells}
            cell={props.cell}
            row={row}
            index={view.first + at}
            activeColumn={view.first + at === active.row ? active.column : undefined}
            activeId={`${id}-active`}
            onOpen={open}
          />
        ))}
      </div>
      {props.foot !== undefined && <div class="grid-foot">{props.foot}</div>}
    </div>
  );
}

/** One function for all rows and renderings, so that rows that stay are not drawn again. */
function useOpen<Row>(props: GridProps<Row>, mark: (index: number) => void): (index: number) => void {
  const latest = useRef({ props, mark });
  latest.current = { props, mark };
  return useCallback((index) => {
    const row = latest.current.props.rows[index];
    latest.current.mark(index);
    if (row !== undefined) latest.current.props.onOpen(row);
  }, []);
}

/** Which rows and columns are elements, and what to call after a scroll. */
function useView(
  frame: { readonly current: HTMLDivElement | null },
  rowCount: number,
  columns: readonly GridColumn[],
  onEnd: (() => void) | undefined,
) {
  const [view, setView] = useState({ first: 0, count: 40, left: 0, right: 20 });
  const look = () => {
    const element = frame.current;
    if (element === null) return;
    // In steps of some rows: between them a scroll changes no element.
    const first = Math.max(0, Math.floor(element.scrollTop / rowPx / 4) * 4 - spareRows);
    const count = Math.ceil(element.clientHeight / rowPx) + 2 * spareRows + 4;
    const next = { first, count, ...columnsInView(columns, element.scrollLeft, element.clientWidth) };
    setView((now) => (isSame(now, next) ? now : next));
    if (first + count >= rowCount) onEnd?.();
  };
  useEffect(look, [rowCount, columns]);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [rowCount, columns]);
  return { view, look };
}

/** The columns in view, the same object as long as they are the same. */
function useCells(columns: readonly GridColumn[], { left, right }: View): Cells {
  return useMemo(
    () => ({ first: left, columns: columns.slice(left, right), leftPx: leftOf(columns, left) }),
    [columns, left, right],
  );
}

interface View {
  readonly first: number;
  readonly count: number;
  /** The first column, and the one behind the last. */
  readonly left: number;
  readonly right: number;
}

function isSame(one: View, other: View): boolean {
  return (
    one.first === other.first &&
    one.count === other.count &&
    one.left === other.left &&
    one.right === other.right
  );
}

/** In steps, as the rows: between them a scroll changes no element. */
function columnsInView(columns: readonly GridColumn[], scrollLeft: number, widthPx: number) {
  let left = 0;
  let px = 0;
  for (; left < columns.length && px + (columns[left]?.widthPx ?? 0) <= scrollLeft; left += 1)
    px += columns[left]?.widthPx ?? 0;
  let right = left;
  for (; right < columns.length && px < scrollLeft + widthPx; right += 1) px += columns[right]?.widthPx ?? 0;
  const step = (column: number) => Math.floor(column / 4) * 4;
  return { left: Math.max(0, step(left) - 4), right: Math.min(columns.length, step(right) + 8) };
}

/** The columns that are elements. */
interface Cells {
  /** The place of the first of them. */
  readonly first: number;
  readonly columns: readonly GridColumn[];
  /** Where it begins. */
  readonly leftPx: number;
}

function GridRow<Row>({
  cells,
  cell,
  row,
  index,
  activeColumn,
  activeId,
  onOpen,
}: Pick<GridProps<Row>, 'cell'> & {
  readonly cells: Cells;
  readonly row: Row;
  readonly index: number;
  /** The place of the marked cell, if it is in this row. */
  readonly activeColumn: number | undefined;
  readonly activeId: string;
  readonly onOpen: (index: number) => void;
}) {
  // The same element again is not compared: a scroll draws only the rows that come into view.
  return useMemo(
    () => (
      <div
        class={activeColumn === undefined ? 'grid-row' : 'grid-row active'}
        role="row"
        aria-rowindex={index + 2}
        style={{ transform: `translateY(${index * rowPx}px)`, paddingLeft: `${cells.leftPx}px` }}
        onClick={() => onOpen(index)}
      >
        {cells.columns.map((column, at) => {
          const isActive = cells.first + at === activeColumn;
          return (
            <div
              key={column.id}
              id={isActive ? activeId : undefined}
              class={`grid-cell${column.isNumber === true ? ' number' : ''}${isActive ? ' active' : ''}`}
              role="gridcell"
              aria-colindex={cells.first + at + 1}
              style={{ width: `${column.widthPx}px` }}
            >
              {cell(row, column)}
            </div>
          );
        })}
      </div>
    ),
    [cells, cell, row, index, activeColumn, activeId, onOpen],
  );
}

function GridHead({
  cells,
  onSort,
  widthPx,
}: {
  readonly cells: Cells;
  readonly onSort: ((column: GridColumn) => void) | undefined;
  readonly widthPx: number;
}) {
  return (
    <div class="grid-head" role="rowgroup" style={{ width: `max(100%, ${widthPx}px)` }}>
      <div class="grid-row" role="row" aria-rowindex={1} style={{ paddingLeft: `${cells.leftPx}px` }}>
        {cells.columns.map((column, at) => (
          <div
            key={column.id}
            class={column.isNumber === true ? 'grid-cell number' : 'grid-cell'}
            role="columnheader"
            aria-colindex={cells.first + at + 1}
            aria-sort={column.order ?? (column.canSort === true ? 'none' : undefined)}
            style={{ width: `${column.widthPx}px` }}
          >
            <ColumnTitle column={column} onSort={onSort} />
          </div>
        ))}
      </div>
    </div>
  );
}

function ColumnTitle({
  column,
  onSort,
}: {
  readonly column: GridColumn;
  readonly onSort: ((column: GridColumn) => void) | undefined;
}) {
  const { title, note, icon, order, canSort = false } = column;
  const content = (
    <>
      <span class="grid-title">
        {icon !== undefined && <Icon name={icon} />}
        <span>{title}</span>
        {order !== undefined && <Icon name={order === 'ascending' ? 'up' : 'down'} />}
      </span>
      {note !== undefined && <span class="grid-note">{note}</span>}
    </>
  );
  if (!canSort || onSort === undefined) return <div class="grid-button">{content}</div>;
  return (
    <button type="button" class="grid-button" title={`Sort by ${title}`} onClick={() => onSort(column)}>
      {content}
    </button>
  );
}

function leftOf(columns: readonly GridColumn[], column: number): number {
  return widthOf(columns.slice(0, column));
}

function widthOf(columns: readonly GridColumn[]): number {
  return columns.reduce((sum, { widthPx }) => sum + widthPx, 0);
}

function within(place: number, count: number): number {
  return Math.min(Math.max(place, 0), count - 1);
}

function stepOf(key: string, heightPx: number, rowCount: number) {
  const page = Math.max(1, Math.floor(heightPx / rowPx) - 2);
  const steps: Readonly<Record<string, { readonly rows: number; readonly columns: number }>> = {
    ArrowDown: { rows: 1, columns: 0 },
    ArrowUp: { rows: -1, columns: 0 },
    ArrowRight: { rows: 0, columns: 1 },
    ArrowLeft: { rows: 0, columns: -1 },
    PageDown: { rows: page, columns: 0 },
    PageUp: { rows: -page, columns: 0 },
    Home: { rows: -rowCount, columns: 0 },
    End: { rows: rowCount, columns: 0 },
  };
  return steps[key];
}

function reveal(
  frame: HTMLElement,
  { row, column }: { readonly row: number; readonly column: number },
  columns: readonly GridColumn[],
): void {
  const top = row * rowPx;
  const viewPx = frame.clientHeight - headPx;
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + rowPx > frame.scrollTop + viewPx) frame.scrollTop = top + rowPx - viewPx;
  const left = leftOf(columns, column);
  const right = left + (columns[column]?.widthPx ?? 0);
  if (left < frame.scrollLeft) frame.scrollLeft = left;
  else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}
