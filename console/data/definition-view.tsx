// The definition of a table or a collection: columns, key, indexes, options, and how to change them.

import { isObject, type Json, plainText, writeJson } from '../json/exact-json.js';
import { mayChange } from '../net/server-facts.js';
import type { Loaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { CodeBlock } from '../parts/code-block.js';
import { CopyButton } from '../parts/copy-button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { opened, openOver } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import type { Command, Target } from './command.js';
import { CommandDialog } from './command-dialog.js';
import { CommandShown } from './command-shown.js';
import { AddColumnDialog, CreateIndexDialog } from './definition-dialogs.js';
import type { ItemProps } from './item-props.js';
import { type Column, columnsOf, type Index, type Item, listIndexes, listTables } from './schema.js';

type Props = ItemProps & { readonly target: Target; readonly indexes: Loaded<readonly Index[]> };

/** What to drop, when that is wanted. */
interface Drop {
  readonly title: string;
  readonly command: Command;
}

export function DefinitionView(props: Props) {
  const { item, target, keyspace } = props;
  const [drop, setDrop] = useEntryState<Drop>();
  const changed = () => {
    props.onChanged();
    props.indexes.reload();
  };
  return (
    <div class="page">
      {item.kind === 'table' ? <TableParts {...props} onDrop={setDrop} /> : null}
      <DefinitionText item={item} onAlter={() => openOver('alter')} />
      <CommandShown
        command={
          item.kind === 'table'
            ? listTables(keyspace)
            : { target: { keyspace }, name: 'findCollections', body: { options: { explain: true } } }
        }
      />
      {item.kind === 'table' && <CommandShown command={listIndexes(target)} />}
      {item.kind === 'table' && mayChange() && (
        <OpenedForm {...{ item, target }} indexes={props.indexes.value ?? []} onChange={changed} />
      )}
      {drop !== undefined && (
        <CommandDialog
          title={drop.title}
          action="Drop"
          isDanger
          commands={[drop.command]}
          done="Dropped."
          onDone={() => {
            setDrop(undefined);
            changed();
          }}
          onClose={() => setDrop(undefined)}
        >
          <p>This cannot be undone.</p>
        </CommandDialog>
      )}
    </div>
  );
}

/** The form that the address says is open. */
function OpenedForm(props: {
  readonly item: Item;
  readonly target: Target;
  readonly indexes: readonly Index[];
  readonly onChange: () => void;
}) {
  const { item, target, indexes, onChange } = props;
  const over = opened.value;
  if (over === undefined) return null;
  const { kind, close } = over;
  const done = () => {
    close();
    onChange();
  };
  if (kind === 'create-index')
    return <CreateIndexDialog {...{ item, target, indexes }} onDone={done} onClose={close} />;
  if (kind !== 'add-column' && kind !== 'alter') return null;
  return <AddColumnDialog target={target} isJson={kind === 'alter'} onDone={done} onClose={close} />;
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
      <CodeBlock text={writeJson(item.definition, 2)} />
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
  onDrop,
}: Props & { readonly onDrop: (drop: Drop) => void }) {
  const dropColumn = ({ name }: Column) =>
    onDrop({
      title: `Drop the column ${name} and its values`,
      command: { target, name: 'alterTable', body: { operation: { drop: { columns: [name] } } } },
    });
  const dropIndex = ({ name }: Index) =>
    onDrop({
      title: `Drop the index ${name}`,
      command: { target: { keyspace }, name: 'dropIndex', body: { name } },
    });
  return (
    <>
      <section class="stack">
        <header class="page-head">
          <h2>Columns</h2>
          {mayChange() && (
            <Button icon="plus" onPress={() => openOver('add-column')}>
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
            <Button icon="plus" onPress={() => openOver('create-index')}>
              Create an index
            </Button>
          )}
        </header>
        <IndexTable indexes={indexes} onDrop={dropIndex} />
      </section>
    </>
  );
}

function ColumnTable(props: {
  readonly columns: readonly Column[];
  readonly onDrop: (column: Column) => void;
}) {
  const columns: readonly TableColumn<Column>[] = [
    { title: 'Name', cell: ({ name }) => name },
    {
      title: 'Type',
      cell: ({ typeText, hasService }) => (
        <>
          <code>{typeText}</code> {hasService && <span class="badge accent">embeddings</span>}
        </>
      ),
    },
    {
      title: 'Primary key',
      cell: ({ key }) => key !== undefined && <span class="badge">{key}</span>,
    },
    {
      kind: 'buttons',
      cell: (column) =>
        column.key === undefined && (
          <DropButton {...column} kind="column" onPress={() => props.onDrop(column)} />
        ),
    },
  ];
  return <DataTable label="Columns" columns={columns} rows={props.columns} keyOf={({ name }) => name} />;
}

function DropButton(props: {
  readonly kind: 'column' | 'index';
  readonly name: string;
  readonly onPress: () => void;
}) {
  if (!mayChange()) return null;
  const label = `Drop the ${props.kind} ${props.name}`;
  return <Button kind="quiet" icon="trash" label={label} onPress={props.onPress} />;
}

/** `metric: cosine, sourceModel: other`. */
function optionsText(options: Json | undefined): string {
  if (!isObject(options)) return plainText(options);
  return Object.entries(options)
    .map(([name, value]) => `${name}: ${plainText(value)}`)
    .join(', ');
}

function IndexTable({
  indexes,
  onDrop,
}: {
  readonly indexes: Props['indexes'];
  readonly onDrop: (index: Index) => void;
}) {
  const columns: readonly TableColumn<Index>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Column', isNamed: true, cell: ({ column }) => column },
    { title: 'Type', cell: ({ type }) => <span class="badge">{type}</span> },
    {
      title: 'Options',
      kind: 'wide',
      cell: ({ options }) => <span class="muted">{optionsText(options)}</span>,
    },
    {
      kind: 'buttons',
      cell: (index) => <DropButton {...index} kind="index" onPress={() => onDrop(index)} />,
    },
  ];
  return (
    <Shown loaded={indexes}>
      {(value) =>
        value.length === 0 ? (
          <EmptyState icon="search" title="No indexes">
            Filters on columns outside the primary key read the whole table until there is an index for them.
          </EmptyState>
        ) : (
          <DataTable label="Indexes" columns={columns} rows={value} keyOf={({ name }) => name} />
        )
      }
    </Shown>
  );
}
