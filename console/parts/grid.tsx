// A grid for thousands of rows and columns: only those in view are elements.
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out rows and keep their places.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its marked cell.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys of all rows are handled by the grid.
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: grids have the properties used here.
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  allowedWidth,
  type CellPlace,
  cellLook,
  firstView,
  type GridColumn,
  isSameView,
  type PlacedColumn,
  placedColumns,
  reveal,
  rowPx,
  stepOf,
  viewOf,
  widthOf,
} from './grid-geometry.js';
import { GridHead, type HeadActions } from './grid-head.js';

/** A grid of rows of one height. */
export interface GridProps<Row> extends HeadActions {
  readonly label: string;
  /** It must be the same list as long as nothing in it changes: rows are drawn again for another one. */
  readonly columns: readonly GridColumn[];
  readonly rows: readonly Row[];
  /** What the rows are of: with another one the grid begins at the top. */
  readonly rowsKey?: string | undefined;
  /** Other rows are loaded. */
  readonly isBusy?: boolean;
  readonly cell: (row: Row, column: GridColumn) => ComponentChildren;
  /** Enter, or a click on a row. */
  readonly onOpen: (row: Row) => void;
  /** The last rows have come into view. */
  readonly onEnd?: () => void;
}

/** How much wider or narrower a key makes a column. */
const widthStepPx = 24;

/**
 * Shows rows; the arrow keys, Page Up and Down, Home and End move the marked cell, Enter opens its row. Shift with the
 * left and right arrow changes the width of its column, or of the heading that has the focus.
 */
export function Grid<Row>(props: GridProps<Row>) {
  const { columns, rows } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const { view, look } = useView(frame, rows.length, columns, props.onEnd);
  const placed = useMemo(() => placedColumns(columns, view), [columns, view.pinned, view.left, view.right]);
  const { active, setActive, onKeyDown } = useMarkedCell(frame, props);
  const open = useOpen(props, (row) => setActive(({ column }) => ({ row, column })));
  const width = widthOf(columns);
  const shown = rows.slice(view.first, view.first + view.count);
  const isInView =
    active.row >= view.first &&
    active.row < view.first + shown.length &&
    placed.some(({ at }) => at === active.column);
  return (
    <div
      ref={frame}
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-busy={props.isBusy === true || undefined}
      aria-activedescendant={isInView ? `${id}-active` : undefined}
      aria-keyshortcuts={props.onResize && 'Shift+ArrowLeft Shift+ArrowRight'}
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <GridHead placed={placed} onSort={props.onSort} onResize={props.onResize} widthPx={width} />
      <div
        class="grid-body"
        role="rowgroup"
        style={{ height: `${rows.length * rowPx}px`, width: `max(100%, ${width}px)` }}
      >
        {shown.map((row, at) => (
          <GridRow
            key={view.first + at}
            placed={placed}
            cell={props.cell}
            row={row}
            index={view.first + at}
            activeColumn={view.first + at === active.row ? active.column : undefined}
            activeId={`${id}-active`}
            onOpen={open}
          />
        ))}
      </div>
    </div>
  );
}

/** The marked cell, and the keys that move it. With other rows it begins at the top, and so does what is in view. */
function useMarkedCell<Row>(
  frame: { readonly current: HTMLDivElement | null },
  { columns, rows, rowsKey, onResize, onOpen }: GridProps<Row>,
) {
  const [active, setActive] = useState<CellPlace>({ row: 0, column: 0 });
  useLayoutEffect(() => {
    frame.current?.scrollTo({ top: 0 });
    setActive(({ column }) => ({ row: 0, column }));
  }, [rowsKey]);
  const moveTo = (row: number, column: number) => {
    const next = { row: within(row, rows.length), column: within(column, columns.length) };
    setActive(next);
    if (frame.current !== null) reveal(frame.current, next, columns);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.shiftKey && changeWidth(event, columns, active, onResize)) return;
    if (event.target !== frame.current) return;
    const row = rows[active.row];
    if (event.key === 'Enter' && row !== undefined) onOpen(row);
    const step = stepOf(event.key, frame.current?.clientHeight ?? 0, rows.length);
    if (step === undefined) return;
    event.preventDefault();
    moveTo(active.row + step.rows, active.column + step.columns);
  };
  return { active, setActive, onKeyDown };
}

/** Whether the key was one for widths. In a heading it is of that column, in the grid of the marked cell. */
function changeWidth(
  event: KeyboardEvent,
  columns: readonly GridColumn[],
  active: CellPlace,
  onResize: HeadActions['onResize'],
): boolean {
  const sign = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const heading = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-column]') : null;
  const column = columns[Number(heading?.dataset['column'] ?? active.column)];
  if (sign === 0 || column === undefined || onResize === undefined) return false;
  event.preventDefault();
  onResize(column, allowedWidth(column.widthPx + sign * widthStepPx));
  return true;
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
  const [view, setView] = useState(firstView);
  const look = () => {
    const element = frame.current;
    if (element === null) return;
    const next = viewOf(element, columns);
    setView((now) => (isSameView(now, next) ? now : next));
    if (next.first + next.count >= rowCount) onEnd?.();
  };
  useEffect(look, [rowCount, columns]);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [rowCount, columns]);
  return { view, look };
}

function GridRow<Row>({
  placed,
  cell,
  row,
  index,
  activeColumn,
  activeId,
  onOpen,
}: Pick<GridProps<Row>, 'cell'> & {
  readonly placed: readonly PlacedColumn[];
  readonly row: Row;
  readonly index: number;
  /** The place of the marked cell, if it is in this row. */
  readonly activeColumn: number | undefined;
  readonly activeId: string;
  readonly onOpen: (index: number) => void;
}) {
  // Preact does not compare an element with itself: a scroll draws only the rows that come into view.
  return useMemo(
    () => (
      <div
        class={activeColumn === undefined ? 'grid-row' : 'grid-row active'}
        role="row"
        aria-rowindex={index + 2}
        style={{ transform: `translateY(${index * rowPx}px)` }}
        onClick={() => onOpen(index)}
      >
        {placed.map((one) => {
          const { column, at } = one;
          const isActive = at === activeColumn;
          const look = cellLook(one);
          return (
            <div
              key={column.id}
              id={isActive ? activeId : undefined}
              class={isActive ? `${look.class} active` : look.class}
              role="gridcell"
              aria-colindex={at + 1}
              style={look.style}
            >
              {cell(row, column)}
            </div>
          );
        })}
      </div>
    ),
    [placed, cell, row, index, activeColumn, activeId, onOpen],
  );
}

function within(place: number, count: number): number {
  return Math.max(0, Math.min(place, count - 1));
}
