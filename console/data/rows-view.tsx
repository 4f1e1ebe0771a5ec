// Rows of a table or documents of a collection: search, filter, sort, pages, and changes.
import { useState } from 'preact/hooks';
import { type JsonObject, writeJson } from '../json/exact-json.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { changeQuery, goTo, opened, openOver, place } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { canInsert } from './can-insert.js';
import type { Command, Target } from './command.js';
import { CommandPanel, commandInAddress, Remarks, showCommand } from './command-shown.js';
import { CreateIndexDialog } from './definition-dialogs.js';
import { FilterBuilder } from './filter-builder.js';
import { filterFieldsOf } from './filter-fields.js';
import { findCommand, type PageStart, type RowsQuery, searchWaysOf, vectorWayOf } from './find-command.js';
import { insertWay } from './insert-ways.js';
import type { ItemProps } from './item-props.js';
import { DeleteMatching, ExportDialog, ImportFile, InsertMany } from './lazy-views.js';
import { useNearVector } from './near-vector.js';
import { OpenedRow } from './opened-row.js';
import { shownRemarks } from './remark-words.js';
import { RowEditor } from './row-dialog.js';
import { identityTextOf } from './row-identity.js';
import { RowsGrid } from './rows-grid.js';
import { type Panel, Toolbar } from './rows-toolbar.js';
import type { Index, Item } from './schema.js';
import { undosOf } from './undo-query.js';
import { type Rows, useRows } from './use-rows.js';

type Props = ItemProps & {
  readonly target: Target;
  readonly indexes: readonly Index[];
  readonly onIndexed: () => void;
};

/** The command of this screen, in the address. */
const readingCommand = 'find';

/** The rows or documents. */
export function RowsView(props: Props) {
  const { item, target, indexes } = props;
  const { ways, query, command, commandAt, rows, failure, onRetry } = useQuery(props);
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
        {...{ ways, query, panel, rows }}
        onToggle={toggle}
        onExport={() => openOver('export')}
        onInsert={canInsert(item) ? () => openOver('insert') : undefined}
      />
      <OpenPanel
        {...props}
        {...{ panel, query, command }}
        rows={rows.rows}
        onDelete={() => setDeleting(true)}
      />
      <Problem {...{ command, query, rows, failure, onRetry }} />
      <Remarks
        remarks={shownRemarks(rows.warnings, { item, indexes, query: rows.query ?? query })}
        onIndex={mayChange() ? (column) => openOver('create-index', column) : undefined}
      />
      <RowsGrid
        {...props}
        {...{ rows, query }}
        onOpen={(row) => openOver('row', identityTextOf(item, row))}
      />
      <OpenedDialog
        {...props}
        {...{ rows, command, commandAt }}
        onSimilar={
          vectorWayOf(query, ways) === undefined
            ? undefined
            : (row) => goTo(place.value.path, { ...place.value.query, ...similarTo(item, row) })
        }
      />
      {isDeleting === true && (
        <DeleteMatching
          {...{ item, target }}
          filter={query.filter}
          onChanged={rows.reload}
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

/** The query of the address, its command, and the rows that it reads. */
function useQuery({ item, target, indexes }: Props) {
  const ways = searchWaysOf(item, indexes);
  const query = queryInAddress();
  const near = useNearVector(item, target, query, ways);
  const isReady = query.like === '' || near.value !== undefined;
  const commandAt = (start?: PageStart) => findCommand(target, query, ways, { start, near: near.value });
  const command = isReady ? commandAt() : undefined;
  const key = command === undefined || typeof command === 'string' ? undefined : writeJson(command.body);
  const rows = useRows({ key, query, commandAt });
  return {
    ...{ ways, query, command, commandAt, rows },
    failure: near.failure ?? rows.failure,
    onRetry: near.failure === undefined ? rows.reload : near.reload,
  };
}

function queryInAddress(): RowsQuery {
  const { filter = '', sort = '', search = '', by = '', like = '' } = place.value.query;
  return { filter: clauseOf(filter), sort: clauseOf(sort), search, by, like };
}

/** A clause without members, as a link can have it, is none. */
function clauseOf(text: string): string {
  return /^\s*\{\s*\}\s*$/.test(text) ? '' : text;
}

function similarTo(item: Item, row: JsonObject) {
  const closed = { open: undefined, as: undefined };
  return { ...closed, like: identityTextOf(item, row), search: undefined, sort: undefined };
}

/** Why the rows of the query are not shown, with what undoes it. */
function Problem(props: {
  readonly command: Command | string | undefined;
  readonly query: RowsQuery;
  readonly rows: Rows;
  readonly failure: Rows['failure'];
  readonly onRetry: () => void;
}) {
  const { command, query, rows, failure, onRetry } = props;
  const undos = rows.isCurrent ? [] : undosOf(query, rows.query);
  const buttons = undos.map(({ label, change }) => (
    <Button key={label} kind="primary" onPress={() => changeQuery(change, true)}>
      {label}
    </Button>
  ));
  if (typeof command === 'string') return <Notice kind="error" title={command} action={buttons} />;
  return failure === undefined ? null : (
    <FailureNotice failure={failure} onRetry={onRetry} actions={buttons} />
  );
}

/** The filter builder, or the command of the screen. */
function OpenPanel(props: {
  readonly panel: Panel;
  readonly item: Item;
  readonly indexes: readonly Index[];
  readonly query: RowsQuery;
  /** What is sent, or what is wrong with the query. */
  readonly command: Command | string | undefined;
  readonly rows: readonly JsonObject[];
  readonly onDelete: () => void;
}) {
  const { panel, item, indexes, query, command, rows } = props;
  const isSendable = command !== undefined && typeof command !== 'string';
  if (panel === 'command' && isSendable)
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
      {mayChange() && query.filter !== '' && isSendable && (
        <Button kind="quiet" icon="trash" onPress={props.onDelete}>
          {`Delete all ${item.kind === 'table' ? 'rows' : 'documents'} that match…`}
        </Button>
      )}
    </div>
  );
}

/** What the address says is open: a row or document, or the form that inserts, exports or creates an index. */
function OpenedDialog(
  props: Props & {
    readonly rows: Rows;
    readonly command: Command | string | undefined;
    readonly commandAt: (start?: PageStart) => Command | string;
    readonly onSimilar: ((row: JsonObject) => void) | undefined;
  },
) {
  const { item, target, indexes, rows, command } = props;
  const over = opened.value;
  if (over === undefined) return null;
  const done = () => {
    over.close();
    rows.reload();
  };
  const ends = { onDone: done, onClose: over.close };
  if (over.kind === 'insert' && canInsert(item)) {
    const way = insertWay(item);
    const closed = (isChanged: boolean) => (isChanged ? done() : over.close());
    if (way === 'Several') return <InsertMany {...{ item, target }} onClose={closed} />;
    if (way === 'File') return <ImportFile {...{ item, target }} onClose={closed} />;
    return <RowEditor item={item} target={target} row={undefined} onStored={rows.reload} {...ends} />;
  }
  if (over.kind === 'export' && command !== undefined && typeof command !== 'string')
    return <ExportDialog {...{ item, rows }} commandAt={props.commandAt} onClose={over.close} />;
  if (over.kind === 'create-index' && item.kind === 'table' && mayChange())
    return (
      <CreateIndexDialog
        {...{ item, target, indexes }}
        column={over.subject}
        onDone={() => {
          done();
          props.onIndexed();
        }}
        onClose={over.close}
      />
    );
  if (over.kind !== 'row') return null;
  return (
    <OpenedRow
      key={over.subject}
      {...{ item, target, ...over }}
      rows={rows.rows}
      onSimilar={props.onSimilar}
      {...ends}
    />
  );
}
