// The grid of rows or documents, with what is known about them below it.
import { useCallback, useMemo } from 'preact/hooks';
import { type JsonObject, memberAt, writeJson } from '../json/exact-json.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Grid } from '../parts/grid.js';
import type { GridColumn } from '../parts/grid-geometry.js';
import { EmptyState, Loading } from '../parts/notice.js';
import { changeQuery, type QueryChange } from '../state/url-state.js';
import { canInsert } from './can-insert.js';
import { Cell } from './cell.js';
import { fieldPath, pageRows, type RowsQuery, searchLimit } from './find-command.js';
import { cellKindsOf, gridColumnsOf } from './grid-columns.js';
import { useWidths } from './kept-widths.js';
import type { Item } from './schema.js';
import { missingPart, scoreIn } from './search-scores.js';
import { undosOf } from './undo-query.js';
import { mostRows, type Rows } from './use-rows.js';

interface Props {
  readonly keyspace: string;
  readonly item: Item;
  readonly rows: Rows;
  /** The query of now; `rows.query` is that of the rows. */
  readonly query: RowsQuery;
  readonly onOpen: (row: JsonObject) => void;
}

/** The rows, or that there are none. The last ones stay until those of another query have come. */
export function RowsGrid(props: Props) {
  const { item, rows } = props;
  if (rows.query === undefined) return rows.isLoading ? <Loading /> : null;
  const isNarrow = rows.query.filter !== '' || isSearch(rows.query);
  if (rows.rows.length > 0 || isNarrow) return <FilledGrid {...props} />;
  if (rows.failure !== undefined || !rows.isCurrent) return null;
  return (
    <EmptyState icon={item.kind} title={`There are no ${thingsOf(item)} yet`}>
      {canInsert(item)
        ? 'Insert the first one here, or with any client of the Data API.'
        : 'They appear here once a client has written them.'}
    </EmptyState>
  );
}

function FilledGrid({ keyspace, item, rows, query, onOpen }: Props) {
  const [widths, setWidth] = useWidths(`${keyspace}/${item.name}`);
  const sort = isSearch(rows.query) ? '' : (rows.query?.sort ?? '');
  const columns = useMemo(
    () => gridColumnsOf(item, { rows: rows.rows, scores: rows.scores, sort, widths }),
    [item, rows.rows, rows.scores, sort, widths],
  );
  const kindOf = useMemo(() => cellKindsOf(item), [item]);
  const cell = useCallback(
    (row: JsonObject, { id }: GridColumn) => (
      <Cell value={scoreIn(rows.scores, row, id) ?? memberAt(row, id)} kind={kindOf(id)} />
    ),
    [rows.scores, kindOf],
  );
  return (
    <>
      <Grid
        label={`${thingsOf(item)} of ${item.name}`}
        columns={columns}
        rows={rows.rows}
        rowsKey={rows.key}
        isBusy={rows.isLoading && !rows.isCurrent}
        cell={cell}
        onSort={(column) => changeQuery({ ...noSearch, sort: nextSort(item, column) }, true)}
        onResize={(column, widthPx) => setWidth(column.id, widthPx)}
        onOpen={onOpen}
        onEnd={() => {
          if (rows.hasMore && rows.failure === undefined) rows.loadMore();
        }}
      />
      {rows.rows.length === 0 && <NoMatch item={item} query={query} />}
      <Status item={item} rows={rows} />
    </>
  );
}

/** A sort takes the place of a search. */
const noSearch: QueryChange = { search: undefined, like: undefined };

function NoMatch({ item, query }: Pick<Props, 'item' | 'query'>) {
  return (
    <EmptyState
      icon={item.kind}
      title={`No ${thingsOf(item)} match`}
      actions={undosOf({ ...query, sort: '' }, undefined).map(({ label, change }) => (
        <Button key={label} onPress={() => changeQuery(change, true)}>
          {label}
        </Button>
      ))}
    >
      Change the filter or the search.
    </EmptyState>
  );
}

function Status({ item, rows }: Pick<Props, 'item' | 'rows'>) {
  const thing = item.kind === 'table' ? 'row' : 'document';
  const missing = missingPart(rows.scores);
  return (
    <p class="grid-status" role="status">
      {`${counted(rows.rows.length, thing)}${rows.hasMore ? ' so far' : ''}`}
      <span class="muted">{`${Math.max(1, Math.round(rows.tookMs))} ms`}</span>
      {missing !== undefined && <span>{missing}</span>}
      {rows.hasMore && (
        <Button kind="quiet" isBusy={rows.isLoading} onPress={() => rows.loadMore(true)}>
          {`Load all, up to ${mostRows.toLocaleString()}`}
        </Button>
      )}
      {rows.hasMore && rows.isSortedAgain && (
        <span>The server sorts again for each {pageRows} rows: a filter makes it faster.</span>
      )}
      {rows.isFull && <span>A filter reaches further ones.</span>}
      {isSearch(rows.query) && rows.rows.length === searchLimit && (
        <span>A search shows the best {searchLimit}.</span>
      )}
    </p>
  );
}

function isSearch(query: RowsQuery | undefined): boolean {
  return query !== undefined && (query.search !== '' || query.like !== '');
}

function thingsOf({ kind }: Item): string {
  return kind === 'table' ? 'rows' : 'documents';
}

function nextSort({ kind }: Item, { id, order }: GridColumn): string | undefined {
  if (order === 'descending') return undefined;
  return writeJson({ [kind === 'table' ? id : fieldPath(id)]: order === 'ascending' ? -1 : 1 });
}
