// Which rows and columns of a grid are elements, and where their cells stand.

export interface GridColumn {
  readonly id: string;
  readonly title: string;
  /** The type, which stands below the title. */
  readonly note?: string;
  readonly icon?: 'key' | undefined;
  readonly widthPx: number;
  readonly isNumber?: boolean;
  /** Stays in view while the others are scrolled sideways; only the first columns can. */
  readonly isPinned?: boolean;
  readonly order?: 'ascending' | 'descending' | undefined;
  readonly canSort?: boolean;
}

/** The height of a row. */
export const rowPx = 32;
const headPx = 44;
/** Rows above and below the view that are elements, too. */
const spareRows = 8;
/** The part of the view that pinned columns may take: on a phone a wide key would leave no room for anything else. */
const mostPinned = 0.5;
const leastWidthPx = 48;
const mostWidthPx = 1600;

/** What is an element. */
export interface View {
  readonly first: number;
  readonly count: number;
  /** The number of columns at the beginning that do not scroll. */
  readonly pinned: number;
  /** The number of the first column in view of those that scroll, and of the one behind the last in view. */
  readonly left: number;
  readonly right: number;
}

/** The part that is drawn before the frame is measured. */
export const firstView: View = { first: 0, count: 40, pinned: 0, left: 0, right: 20 };

/** The part of an element that scrolls. */
export type Frame = Pick<HTMLElement, 'scrollTop' | 'scrollLeft' | 'clientWidth' | 'clientHeight'>;

/** What is in view. It changes in steps of some rows and columns: between them a scroll changes no element. */
export function viewOf(frame: Frame, columns: readonly GridColumn[]): View {
  const first = Math.max(0, Math.floor(frame.scrollTop / rowPx / 4) * 4 - spareRows);
  const count = Math.ceil(frame.clientHeight / rowPx) + 2 * spareRows + 4;
  const pinned = pinnedCount(columns, frame.clientWidth);
  const step = (column: number) => Math.floor(column / 4) * 4;
  const end = frame.scrollLeft + frame.clientWidth;
  const begin = frame.scrollLeft + leftOf(columns, pinned);
  let left = pinned;
  let px = leftOf(columns, pinned);
  for (; left < columns.length && px + (columns[left]?.widthPx ?? 0) <= begin; left += 1)
    px += columns[left]?.widthPx ?? 0;
  let right = left;
  for (; right < columns.length && px < end; right += 1) px += columns[right]?.widthPx ?? 0;
  return {
    ...{ first, count, pinned },
    left: Math.max(pinned, step(left) - 4),
    right: Math.min(columns.length, step(right) + 8),
  };
}

/** Whether two views have the same elements. */
export function isSameView(one: View, other: View): boolean {
  return (
    one.first === other.first &&
    one.count === other.count &&
    one.pinned === other.pinned &&
    one.left === other.left &&
    one.right === other.right
  );
}

function pinnedCount(columns: readonly GridColumn[], frameWidthPx: number): number {
  let count = 0;
  let px = 0;
  for (const { isPinned, widthPx } of columns) {
    px += widthPx;
    if (isPinned !== true || px > frameWidthPx * mostPinned) break;
    count += 1;
  }
  return count;
}

/** A column that is an element, and where its cells stand. */
export interface PlacedColumn {
  readonly column: GridColumn;
  /** Its place among all columns. */
  readonly at: number;
  /** The distance of a pinned cell from the left edge; undefined for the others. */
  readonly pinnedPx: number | undefined;
  readonly isLastPinned: boolean;
  /** The space before it, of the columns that are left out. */
  readonly gapPx: number;
}

/** The columns that are elements: those that are pinned, then those in view. */
export function placedColumns(columns: readonly GridColumn[], view: View): readonly PlacedColumn[] {
  const { pinned, left, right } = view;
  const place = (at: number): readonly PlacedColumn[] => {
    const column = columns[at];
    if (column === undefined) return [];
    const isPinned = at < pinned;
    return [
      {
        ...{ column, at },
        pinnedPx: isPinned ? leftOf(columns, at) : undefined,
        isLastPinned: at === pinned - 1,
        gapPx: at === left && !isPinned ? leftOf(columns, left) - leftOf(columns, pinned) : 0,
      },
    ];
  };
  const places = [
    ...Array.from({ length: pinned }, (_, at) => at),
    ...Array.from({ length: Math.max(0, right - left) }, (_, at) => left + at),
  ];
  return places.flatMap(place);
}

/** The classes and the style of a cell. */
export function cellLook({ column, pinnedPx, isLastPinned, gapPx }: PlacedColumn) {
  const classes = [
    'grid-cell',
    ...(column.isNumber === true ? ['number'] : []),
    ...(pinnedPx === undefined ? [] : ['pinned']),
    ...(isLastPinned ? ['last-pinned'] : []),
  ];
  const style = {
    width: `${column.widthPx}px`,
    ...(pinnedPx === undefined ? {} : { left: `${pinnedPx}px` }),
    ...(gapPx === 0 ? {} : { marginLeft: `${gapPx}px` }),
  };
  return { class: classes.join(' '), style };
}

/** The distance of a column from the left edge of all columns. */
export function leftOf(columns: readonly GridColumn[], column: number): number {
  return widthOf(columns.slice(0, column));
}

/** The width of columns together. */
export function widthOf(columns: readonly GridColumn[]): number {
  return columns.reduce((sum, { widthPx }) => sum + widthPx, 0);
}

/** A width that a column can have. */
export function allowedWidth(px: number): number {
  return Math.round(Math.min(mostWidthPx, Math.max(leastWidthPx, px)));
}

/** A cell of the grid. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** How far a key moves the marked cell; undefined for other keys. */
export function stepOf(key: string, heightPx: number, rowCount: number) {
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

/** Scrolls so far that a cell is in view: below the head, and beside the pinned columns. */
export function reveal(frame: Frame, { row, column }: CellPlace, columns: readonly GridColumn[]): void {
  const top = row * rowPx;
  const viewPx = frame.clientHeight - headPx;
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + rowPx > frame.scrollTop + viewPx) frame.scrollTop = top + rowPx - viewPx;
  const pinned = pinnedCount(columns, frame.clientWidth);
  if (column < pinned) return;
  const left = leftOf(columns, column);
  const right = left + (columns[column]?.widthPx ?? 0);
  const pinnedPx = leftOf(columns, pinned);
  if (left < frame.scrollLeft + pinnedPx) frame.scrollLeft = left - pinnedPx;
  else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}
