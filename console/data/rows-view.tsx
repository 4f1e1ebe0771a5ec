// Rows of a table or documents of a collection: search, filter, sort, pages, and changes.
import { useLayoutEffect, useState } from 'preact/hooks';
import { isObject, type JsonObject, memberAt, parseJson, plainText, writeJson } from '../json/exact-json.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { SelectField, TextField } from '../parts/field.js';
import { Grid, type GridColumn } from '../parts/grid.js';
import { EmptyState, FailureNotice, Loading, Notice } from '../parts/notice.js';
import { changeQuery, opened, openOver, place } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { Cell, Similarity } from './cell.js';
import type { Command, Target } from './command.js';
import { CommandDialog } from './command-dialog.js';
import { CommandPanel, commandInAddress, Remarks, showCommand } from './command-shown.js';
import { FilterBuilder } from './filter-builder.js';
import { filterFieldsOf } from './filter-fields.js';
import {
  fieldPath,
  findCommand,
  pageRows,
  type RowsQuery,
  type SearchWay,
  searchLimit,
  searchWaysOf,
} from './find-command.js';
import { gridColumnsOf } from './grid-columns.js';
import type { ItemProps } from './item-props.js';
import { OpenedRow } from './opened-row.js';
import { RowEditor } from './row-dialog.js';
import { identityTextOf } from './row-identity.js';
import { columnsOf, type Index, type Item } from './schema.js';
import { mostRows, type Rows, useRows } from './use-rows.js';

/** The panel that is open. */
type Panel = 'filter' | 'command' | undefined;

/** The command of this screen, in the address. */
const readingCommand = 'find';

/** The warning that a program forgot the filter. Here all rows are wanted if the filter is empty. */
const unfilteredCode = 'ZERO_FILTER_OPERATIONS';

/** The rows or documents. */
export function RowsView(props: ItemProps & { readonly target: Target; readonly indexes: readonly Index[] }) {
  const { item, target, indexes } = props;
  const ways = searchWaysOf(item, indexes);
  const query = queryInAddress();
  const command = findCommand(target, query, ways);
  const key = typeof command === 'string' ? undefined : writeJson(command.body);
  const rows = useRows({ key, query, commandAt: (start) => findCommand(target, query, ways, start) });
  const [isFilterOpen, setFilterOpen] = useState(query.filter !== '');
  const [isDeleting, setDeleting] = useEntryState<true>();
  const panel =
    commandInAddress(readingCommand) !== undefined ? 'command' : isFilterOpen ? 'filter' : undefined;
  const toggle = (name: 'filter' | 'command') => {
    showCommand(readingCommand, name === 'command' && panel !== name);
    setFilterOpen(name === 'filter' && panel !== name);
  };
  return (
    <div class="rows">
      <Toolbar
        ways={ways}
        query={query}
        panel={panel}
        rows={rows}
        onToggle={toggle}
        onInsert={canInsert(item) ? () => openOver('insert') : undefined}
      />
      <OpenPanel
        {...props}
        {...{ panel, query, command }}
        rows={rows.rows}
        onDelete={() => setDeleting(true)}
      />
      {typeof command === 'string' && <Notice kind="error" title={command} />}
      {rows.failure !== undefined && <FailureNotice failure={rows.failure} onRetry={rows.reload} />}
      <Remarks remarks={rows.warnings.filter(({ code }) => query.filter !== '' || code !== unfilteredCode)} />
      <RowsGrid
        {...props}
        rows={rows}
        query={query}
        onOpen={(row) => openOver('row', identityTextOf(item, row))}
      />
      <OpenedDialog item={item} target={target} rows={rows} />
      {isDeleting === true && (
        <DeleteMatching
          {...{ target, query }}
          onDone={() => {
            setDeleting(undefined);
            rows.reload();
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </div>
  );
}

/** The filter builder, or the command of the screen. */
function OpenPanel(props: {
  readonly panel: Panel;
  readonly item: Item;
  readonly indexes: readonly Index[];
  readonly query: RowsQuery;
  /** What is sent, or what is wrong with the query. */
  readonly command: Command | string;
  readonly rows: readonly JsonObject[];
  readonly onDelete: () => void;
}) {
  const { panel, item, indexes, query, command, rows } = props;
  if (panel === 'command' && typeof command !== 'string')
    return (
      <div class="panel">
        <CommandPanel name={readingCommand} command={command} />
      </div>
    );
  if (panel !== 'filter') return null;
  return (
    <div class="panel">
      <FilterBuilder
        filter={query.filter}
        fields={filterFieldsOf(item, rows, indexes)}
        onApply={(filter) => changeQuery({ filter }, true)}
      />
      {mayChange() && query.filter !== '' && typeof command !== 'string' && (
        <Button kind="quiet" icon="trash" onPress={props.onDelete}>
          {`Delete all ${item.kind === 'table' ? 'rows' : 'documents'} that match…`}
        </Button>
      )}
    </div>
  );
}

/** What the address says is open: a row or document, or the form that inserts one. */
function OpenedDialog(props: { readonly item: Item; readonly target: Target; readonly rows: Rows }) {
  const { item, target, rows } = props;
  const over = opened.value;
  if (over === undefined) return null;
  const done = () => {
    over.close();
    rows.reload();
  };
  const ends = { onDone: done, onClose: over.close };
  if (over.kind === 'insert' && canInsert(item))
    return <RowEditor item={item} target={target} row={undefined} {...ends} />;
  if (over.kind !== 'row') return null;
  return <OpenedRow key={over.subject} {...{ item, target, ...over }} rows={rows.rows} {...ends} />;
}

/** Native queries count in the rows of counters; no command inserts such a row. */
function canInsert({ kind, definition }: Item): boolean {
  if (!mayChange()) return false;
  return kind === 'collection' || columnsOf(definition).every(({ type }) => type !== 'counter');
}

function Toolbar({
  ways,
  query,
  panel,
  rows,
  onToggle,
  onInsert,
}: {
  readonly ways: readonly SearchWay[];
  readonly query: RowsQuery;
  readonly panel: Panel;
  readonly rows: Rows;
  readonly onToggle: (name: 'filter' | 'command') => void;
  /** Undefined where no row can be inserted. */
  readonly onInsert: (() => void) | undefined;
}) {
  return (
    <div class="toolbar">
      {ways.length > 0 && <SearchBox ways={ways} query={query} />}
      <div class="button-row">
        <Button icon="filter" isPressed={panel === 'filter'} onPress={() => onToggle('filter')}>
          {query.filter === '' ? 'Filter' : 'Filter (on)'}
        </Button>
        <Button icon="code" isPressed={panel === 'command'} onPress={() => onToggle('command')}>
          Command
        </Button>
        <Button icon="reload" label="Load again" isBusy={rows.isLoading} onPress={rows.reload} />
        {onInsert !== undefined && (
          <Button kind="primary" icon="plus" onPress={onInsert}>
            Insert
          </Button>
        )}
      </div>
    </div>
  );
}

function queryInAddress(): RowsQuery {
  const { filter = '', sort = '', search = '', by = '' } = place.value.query;
  return { filter, sort, search, by };
}

function SearchBox({ ways, query }: { readonly ways: readonly SearchWay[]; readonly query: RowsQuery }) {
  const [text, setText] = useState(query.search);
  // A sort, a link and the back button change the search too. At once, not over what is typed next.
  useLayoutEffect(() => setText(query.search), [query.search]);
  const way = ways.find(({ id }) => id === query.by) ?? ways[0];
  const isVector = way?.field === '$vector' || way?.label.startsWith('Vector') === true;
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        changeQuery({ search: text }, true);
      }}
    >
      {ways.length > 1 && (
        <SelectField
          label="Search by"
          isLabelHidden
          value={way?.id ?? ''}
          choices={ways.map(({ id, label }) => ({ value: id, label }))}
          onChange={(by) => changeQuery({ by })}
        />
      )}
      <TextField
        label="Search"
        isLabelHidden
        type="search"
        placeholder={isVector ? '[0.1, 0.2, …]' : searchHint(ways)}
        value={text}
        onChange={(value) => {
          setText(value);
          if (value === '') changeQuery({ search: undefined }, true);
        }}
      />
      <Button type="submit" icon="search" label="Search" />
    </form>
  );
}

function searchHint([only, ...others]: readonly SearchWay[]): string {
  if (only === undefined || others.length > 0) return 'Search';
  return `Search by ${only.label.charAt(0).toLowerCase()}${only.label.slice(1)}`;
}

function RowsGrid({
  item,
  rows,
  query,
  onOpen,
}: ItemProps & {
  readonly rows: Rows;
  readonly query: RowsQuery;
  readonly onOpen: (row: JsonObject) => void;
}) {
  const thing = item.kind === 'table' ? 'row' : 'document';
  if (!rows.isLoaded) return rows.isLoading ? <Loading /> : null;
  if (rows.rows.length === 0) {
    if (rows.failure !== undefined) return null;
    const isNarrow = query.filter !== '' || query.search !== '';
    return (
      <EmptyState icon={item.kind} title={isNarrow ? `No ${thing}s match` : `There are no ${thing}s yet`}>
        {isNarrow
          ? 'Change the filter or the search.'
          : canInsert(item)
            ? 'Insert the first one here, or with any client of the Data API.'
            : 'They appear here once a client has written them.'}
      </EmptyState>
    );
  }
  const columns = gridColumnsOf(item, rows.rows, query);
  return (
    <>
      <Grid
        label={`${thing}s of ${item.name}`}
        columns={columns}
        rows={rows.rows}
        cell={(row, { id }) =>
          id === '$similarity' ? <Similarity value={row[id]} /> : <Cell value={memberAt(row, id)} />
        }
        onSort={(column) => changeQuery({ sort: nextSort(item, column), search: undefined }, true)}
        onOpen={onOpen}
        onEnd={() => {
          if (rows.hasMore && rows.failure === undefined) rows.loadMore();
        }}
      />
      <p class="grid-status" role="status">
        {`${counted(rows.rows.length, thing)}${rows.hasMore ? ' so far' : ''}`}
        <span class="muted">{`${Math.max(1, Math.round(rows.tookMs))} ms`}</span>
        {rows.hasMore && (
          <Button kind="quiet" isBusy={rows.isLoading} onPress={() => rows.loadMore(true)}>
            {`Load all, up to ${mostRows.toLocaleString()}`}
          </Button>
        )}
        {rows.hasMore && rows.isSortedAgain && (
          <span>The server sorts again for each {pageRows} rows: a filter makes it faster.</span>
        )}
        {rows.isFull && <span>A filter reaches further ones.</span>}
        {query.search !== '' && rows.rows.length === searchLimit && (
          <span>A search shows the best {searchLimit}.</span>
        )}
      </p>
    </>
  );
}

function nextSort({ kind }: Item, { id, order }: GridColumn): string | undefined {
  if (order === 'descending') return undefined;
  return writeJson({ [kind === 'table' ? id : fieldPath(id)]: order === 'ascending' ? -1 : 1 });
}

function DeleteMatching({
  target,
  query,
  onDone,
  onClose,
}: {
  readonly target: Target;
  readonly query: RowsQuery;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const filter = parseJson(query.filter);
  const command: Command = { target, name: 'deleteMany', body: { filter: isObject(filter) ? filter : {} } };
  return (
    <CommandDialog
      title="Delete all that match the filter"
      action="Delete"
      isDanger
      commands={[command]}
      done="Deleted what matched the filter."
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        Everything in {plainText(target.name)} that matches this filter is deleted, also what has not been
        loaded here. This cannot be undone.
      </p>
      <pre class="code-block">{writeJson(filter, 2)}</pre>
    </CommandDialog>
  );
}
