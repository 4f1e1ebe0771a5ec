// The definition of a table or a collection: columns, key, indexes, options, and how to change them.
import { useState } from 'preact/hooks';
import { writeJson } from '../json/exact-json.js';
import { mayChange } from '../net/server-facts.js';
import type { Loaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { CopyButton } from '../parts/copy-button.js';
import { EmptyState, FailureNotice, Loading } from '../parts/notice.js';
import type { Command, Target } from './command.js';
import { CommandDialog } from './command-dialog.js';
import { CommandShown } from './command-shown.js';
import { AddColumnDialog, CreateIndexDialog } from './definition-dialogs.js';
import type { ItemProps } from './item-props.js';
import { type Column, columnsOf, type Index, type Item, listIndexes, listTables } from './schema.js';

type Props = ItemProps & { readonly target: Target; readonly indexes: Loaded<readonly Index[]> };

/** What a dialog is open for. */
type Open =
  | { readonly kind: 'addColumn' | 'createIndex' | 'json' }
  | { readonly kind: 'drop'; readonly title: string; readonly command: Command };

/** The definition. */
export function DefinitionView(props: Props) {
  const { item, target, keyspace } = props;
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    props.onChanged();
    props.indexes.reload();
  };
  return (
    <div class="page">
      {item.kind === 'table' ? <TableParts {...props} onOpen={setOpen} /> : null}
      <DefinitionText item={item} onAlter={() => setOpen({ kind: 'json' })} />
      <CommandShown
        command={
          item.kind === 'table'
            ? listTables(keyspace)
            : { target: { keyspace }, name: 'findCollections', body: { options: { explain: true } } }
        }
      />
      {item.kind === 'table' && <CommandShown command={listIndexes(target)} />}
      {(open?.kind === 'addColumn' || open?.kind === 'json') && (
        <AddColumnDialog target={target} isJson={open.kind === 'json'} onDone={done} onClose={close} />
      )}
      {open?.kind === 'createIndex' && (
        <CreateIndexDialog item={item} target={target} onDone={done} onClose={close} />
      )}
      {open?.kind === 'drop' && (
        <CommandDialog
          title={open.title}
          action="Drop"
          isDanger
          commands={[open.command]}
          done="Dropped."
          onDone={done}
          onClose={close}
        >
          <p>This cannot be undone.</p>
        </CommandDialog>
      )}
    </div>
  );
}

function DefinitionText({ item, onAlter }: { readonly item: Item; readonly onAlter: () => void }) {
  return (
    <section class="stack">
      <header class="page-head">
        <h2>{item.kind === 'table' ? 'Definition as JSON' : 'Options'}</h2>
        <div class="button-row">
          <CopyButton text={writeJson(item.definition, 2)} />
          {item.kind === 'table' && mayChange() && (
            <Button icon="code" onPress={onAlter}>
              Alter by JSON
            </Button>
          )}
        </div>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard. */}
      <pre class="code-block" tabIndex={0}>
        {writeJson(item.definition, 2)}
      </pre>
      {item.kind === 'collection' && (
        <p class="muted">The options of a collection are chosen when it is created.</p>
      )}
    </section>
  );
}

function TableParts({
  item,
  target,
  keyspace,
  indexes,
  onOpen,
}: Props & { readonly onOpen: (open: Open) => void }) {
  const dropColumn = ({ name }: Column) =>
    onOpen({
      kind: 'drop',
      title: `Drop the column ${name} and its values`,
      command: { target, name: 'alterTable', body: { operation: { drop: { columns: [name] } } } },
    });
  const dropIndex = ({ name }: Index) =>
    onOpen({
      kind: 'drop',
      title: `Drop the index ${name}`,
      command: { target: { keyspace }, name: 'dropIndex', body: { name } },
    });
  return (
    <>
      <section class="stack">
        <header class="page-head">
          <h2>Columns</h2>
          {mayChange() && (
            <Button icon="plus" onPress={() => onOpen({ kind: 'addColumn' })}>
              Add a column
            </Button>
          )}
        </header>
        <ColumnTable columns={columnsOf(item.definition)} onDrop={dropColumn} />
      </section>
      <section class="stack">
        <header class="page-head">
          <h2>Indexes</h2>
          {mayChange() && (
            <Button icon="plus" onPress={() => onOpen({ kind: 'createIndex' })}>
              Create an index
            </Button>
          )}
        </header>
        <IndexTable indexes={indexes} onDrop={dropIndex} />
      </section>
    </>
  );
}

const keyTexts = { partition: 'partition', clustering: 'clustering' } as const;

function ColumnTable({
  columns,
  onDrop,
}: {
  readonly columns: readonly Column[];
  readonly onDrop: (column: Column) => void;
}) {
  return (
    <div class="table-frame">
      <table class="table">
        <thead>
          <tr>
            <th>Name</th>
            <th>Type</th>
            <th>Primary key</th>
            <th class="end">
              <span class="hidden-label">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column) => (
            <tr key={column.name}>
              <td>{column.name}</td>
              <td>
                <code>{column.typeText}</code>{' '}
                {column.hasService && <span class="badge accent">embeddings</span>}
              </td>
              <td>{column.key !== undefined && <span class="badge">{keyTexts[column.key]}</span>}</td>
              <td class="end">
                {mayChange() && column.key === undefined && (
                  <Button
                    kind="quiet"
                    icon="trash"
                    label={`Drop the column ${column.name}`}
                    onPress={() => onDrop(column)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function IndexTable({
  indexes,
  onDrop,
}: {
  readonly indexes: Props['indexes'];
  readonly onDrop: (index: Index) => void;
}) {
  const { value, failure, reload } = indexes;
  if (value === undefined)
    return failure === undefined ? <Loading /> : <FailureNotice failure={failure} onRetry={reload} />;
  if (value.length === 0)
    return (
      <EmptyState icon="search" title="No indexes">
        Filters on columns outside the primary key read the whole table until there is an index for them.
      </EmptyState>
    );
  return (
    <div class="table-frame">
      <table class="table">
        <thead>
          <tr>
            <th>Name</th>
            <th>Column</th>
            <th>Type</th>
            <th>Options</th>
            <th class="end">
              <span class="hidden-label">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {value.map((index) => (
            <tr key={index.name}>
              <td>{index.name}</td>
              <td>{index.column}</td>
              <td>
                <span class="badge">{index.type}</span>
              </td>
              <td class="muted">
                <code>{index.options === undefined ? '' : writeJson(index.options)}</code>
              </td>
              <td class="end">
                {mayChange() && (
                  <Button
                    kind="quiet"
                    icon="trash"
                    label={`Drop the index ${index.name}`}
                    onPress={() => onDrop(index)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
