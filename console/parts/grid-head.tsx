// The head of a grid: titles that sort, and edges that change the widths of columns.
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out rows and keep their places.
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons in the headings have the focus.
// biome-ignore-all lint/a11y/noStaticElementInteractions: the edge is for pointers; keys do the same in the grid.
import { useRef } from 'preact/hooks';
import { allowedWidth, cellLook, type GridColumn, type PlacedColumn } from './grid-geometry.js';
import { Icon } from './icon.js';

/** What the head does. */
export interface HeadActions {
  readonly onSort?: ((column: GridColumn) => void) | undefined;
  /** Gives a column a width; undefined gives it the one that fits its values. */
  readonly onResize?: ((column: GridColumn, widthPx: number | undefined) => void) | undefined;
}

export function GridHead({
  placed,
  widthPx,
  ...actions
}: HeadActions & { readonly placed: readonly PlacedColumn[]; readonly widthPx: number }) {
  return (
    <div class="grid-head" role="rowgroup" style={{ width: `max(100%, ${widthPx}px)` }}>
      <div class="grid-row" role="row" aria-rowindex={1}>
        {placed.map((one) => {
          const { column, at } = one;
          return (
            <div
              key={column.id}
              {...cellLook(one)}
              role="columnheader"
              data-column={at}
              aria-colindex={at + 1}
              aria-sort={column.order ?? (column.canSort === true ? 'none' : undefined)}
            >
              <ColumnTitle column={column} onSort={actions.onSort} />
              {actions.onResize !== undefined && <Edge column={column} onResize={actions.onResize} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function ColumnTitle({ column, onSort }: { readonly column: GridColumn } & Pick<HeadActions, 'onSort'>) {
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
  if (!canSort || onSort === undefined)
    return (
      <div class="grid-button" title={title}>
        {content}
      </div>
    );
  return (
    <button type="button" class="grid-button" title={`Sort by ${title}`} onClick={() => onSort(column)}>
      {content}
    </button>
  );
}

/** The right edge of a heading: it is dragged, and a double click gives the width of the values back. */
function Edge({
  column,
  onResize,
}: {
  readonly column: GridColumn;
  readonly onResize: NonNullable<HeadActions['onResize']>;
}) {
  const begin = useRef<{ readonly x: number; readonly widthPx: number } | undefined>(undefined);
  const end = () => {
    begin.current = undefined;
  };
  return (
    <span
      class="grid-edge"
      aria-hidden="true"
      title="Drag to change the width, double-click to fit it. In the grid: Shift with ← or →"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        begin.current = { x: event.clientX, widthPx: column.widthPx };
      }}
      onPointerMove={(event) => {
        if (begin.current === undefined) return;
        const { x, widthPx } = begin.current;
        onResize(column, allowedWidth(widthPx + event.clientX - x));
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onDblClick={() => onResize(column, undefined)}
    />
  );
}
