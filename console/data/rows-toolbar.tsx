// Above the rows: the search, and the buttons of the screen.
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { SelectField, TextField } from '../parts/field.js';
import { Icon } from '../parts/icon.js';
import { changeQuery } from '../state/url-state.js';
import { type RowsQuery, type SearchWay, vectorWayOf } from './find-command.js';
import type { Rows } from './use-rows.js';

/** The panel that is open. */
export type Panel = 'filter' | 'command' | undefined;

/** The search and the buttons. */
export function Toolbar({
  ways,
  query,
  panel,
  rows,
  onToggle,
  onExport,
  onInsert,
}: {
  readonly ways: readonly SearchWay[];
  readonly query: RowsQuery;
  readonly panel: Panel;
  readonly rows: Rows;
  readonly onToggle: (name: 'filter' | 'command') => void;
  readonly onExport: () => void;
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
        <Button icon="download" label="Export" isDisabled={rows.rows.length === 0} onPress={onExport} />
        <Button icon="reload" label="Load again" isBusy={rows.isLoading} onPress={rows.reload} />
        {onInsert !== undefined && (
          <Button kind="primary" icon="plus" onPress={onInsert}>
            Insert
          </Button>
        )}
      </div>
      {query.like !== '' && <LikeShown query={query} ways={ways} />}
    </div>
  );
}

/** What is searched for in place of a text: the row that *Find similar* was pressed on. */
function LikeShown({ query, ways }: { readonly query: RowsQuery; readonly ways: readonly SearchWay[] }) {
  const way = vectorWayOf(query, ways);
  return (
    <p class="like-shown">
      <Icon name="search" />
      <span>
        Similar to <code>{query.like}</code>
        {way !== undefined && ways.length > 1 && `, by ${sentencePart(way.label)}`}
      </span>
      <Button kind="quiet" icon="close" onPress={() => changeQuery({ like: undefined }, true)}>
        Show all
      </Button>
    </p>
  );
}

function SearchBox({ ways, query }: { readonly ways: readonly SearchWay[]; readonly query: RowsQuery }) {
  const [text, setText] = useState(query.search);
  // A sort, a link and the back button change the search too. An effect after the paint could replace what is typed.
  useLayoutEffect(() => setText(query.search), [query.search]);
  const way = ways.find(({ id }) => id === query.by) ?? ways[0];
  const isVector = way?.field === '$vector' || way?.label.startsWith('Vector') === true;
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        changeQuery({ search: text, like: undefined }, true);
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
  return `Search by ${sentencePart(only.label)}`;
}

/** A label within a sentence: the name of a column in it keeps its letters. */
function sentencePart(label: string): string {
  return `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}
