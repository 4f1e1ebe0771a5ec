// The Data screen: keyspaces on the left, and what is chosen there.
import '../styles/data.css';
import { useEffect } from 'preact/hooks';
import { mayChange } from '../net/server-facts.js';
import { type Loaded, useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { SelectField, TextField } from '../parts/field.js';
import { Icon } from '../parts/icon.js';
import { EmptyState, FailureNotice, Loading } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { changeQuery, completePath, goTo, hrefOf, opened, openOver, place } from '../state/url-state.js';
import { CreateItemDialog } from './create-item.js';
import { CreateKeyspaceDialog } from './create-keyspace.js';
import { ItemView } from './item-view.js';
import { KeyspaceView } from './keyspace-view.js';
import { type Item, loadItems, loadKeyspaces } from './schema.js';

export function DataScreen() {
  const [, keyspaceInAddress, name] = place.value.path;
  const keyspaces = useLoaded('keyspaces', loadKeyspaces);
  const [first] = keyspaces.value ?? [];
  const keyspace = keyspaceInAddress ?? first;
  // While it is loaded again the first one may be one that was dropped.
  const isKnown = !keyspaces.isLoading && keyspaces.failure === undefined;
  useEffect(() => {
    if (keyspaceInAddress === undefined && first !== undefined && isKnown) completePath(['data', first]);
  }, [keyspaceInAddress, first, isKnown]);
  const items = useLoaded(keyspace, (signal) => loadItems(keyspace ?? '', signal));
  if (keyspaces.value === undefined) {
    if (keyspaces.failure === undefined) return <Loading />;
    return (
      <div class="page">
        <h1>Data</h1>
        <FailureNotice failure={keyspaces.failure} onRetry={keyspaces.reload} />
      </div>
    );
  }
  if (keyspace === undefined) return <NoKeyspace onCreated={keyspaces.reload} />;
  return (
    <div class={name === undefined ? 'data' : 'data has-item'}>
      <Explorer keyspaces={keyspaces} keyspace={keyspace} items={items} chosen={name} />
      <section class="data-main">
        <Chosen keyspaces={keyspaces} keyspace={keyspace} items={items} name={name} />
      </section>
    </div>
  );
}

interface ChosenProps {
  readonly keyspaces: Loaded<readonly string[]>;
  readonly keyspace: string;
  readonly items: Loaded<readonly Item[]>;
}

function Chosen({ keyspaces, keyspace, items, name }: ChosenProps & { readonly name: string | undefined }) {
  if (name === undefined)
    return <KeyspaceView key={keyspace} keyspace={keyspace} items={items} onDropped={keyspaces.reload} />;
  const key = `${keyspace}/${name}`;
  return (
    <Shown loaded={items}>
      {(value) => {
        const item = value.find((one) => one.name === name);
        if (item === undefined) return <NoItem key={key} {...{ keyspace, name, items }} />;
        return <ItemView key={key} keyspace={keyspace} item={item} onChanged={items.reload} />;
      }}
    </Shown>
  );
}

/** The list may be older than what the address names, so it is loaded again first. */
function NoItem({ keyspace, name, items }: Omit<ChosenProps, 'keyspaces'> & { readonly name: string }) {
  useEffect(items.reload, []);
  if (items.isLoading) return <Loading />;
  return (
    <EmptyState
      icon="search"
      title={`${keyspace} has no ${name}`}
      actions={<a href={hrefOf(['data', keyspace])}>Show what it has</a>}
    >
      It may have been dropped since this link was made.
    </EmptyState>
  );
}

function NoKeyspace({ onCreated }: { readonly onCreated: () => void }) {
  const over = opened.value;
  return (
    <>
      <EmptyState
        icon="data"
        title="There is no keyspace yet"
        actions={
          mayChange() && (
            <Button kind="primary" icon="plus" onPress={() => openOver('create-keyspace')}>
              Create a keyspace
            </Button>
          )
        }
      >
        Tables and collections belong to a keyspace.
      </EmptyState>
      {mayChange() && over?.kind === 'create-keyspace' && (
        <CreateKeyspaceDialog over={over} onCreated={onCreated} />
      )}
    </>
  );
}

function Explorer({
  keyspaces,
  keyspace,
  items,
  chosen,
}: ChosenProps & { readonly chosen: string | undefined }) {
  const search = nameInAddress();
  const over = mayChange() ? opened.value : undefined;
  const found = items.value?.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())) ?? [];
  return (
    <aside class="explorer" aria-label="Keyspaces, tables and collections">
      <div class="explorer-head">
        <SelectField
          label="Keyspace"
          value={keyspace}
          choices={[...new Set([...(keyspaces.value ?? []), keyspace])]}
          onChange={(name) => goTo(['data', name])}
        />
        {mayChange() && (
          <Button icon="plus" label="Create a keyspace" onPress={() => openOver('create-keyspace')} />
        )}
      </div>
      {(items.value?.length ?? 0) > 8 && (
        <TextField
          label="Find by name"
          isLabelHidden
          type="search"
          placeholder="Find by name"
          value={search}
          onChange={(named) => changeQuery({ named })}
        />
      )}
      <ItemList keyspace={keyspace} items={found} chosen={chosen} />
      {/* Without a choice the view of the keyspace has the button. */}
      {chosen !== undefined && mayChange() && (
        <div class="explorer-foot">
          <Button icon="plus" onPress={() => openOver('create')}>
            Create
          </Button>
        </div>
      )}
      {over?.kind === 'create-keyspace' && <CreateKeyspaceDialog over={over} onCreated={keyspaces.reload} />}
      {over?.kind === 'create' && chosen !== undefined && (
        <CreateItemDialog
          {...{ keyspace, over }}
          taken={items.value?.map(({ name }) => name) ?? []}
          onCreated={items.reload}
        />
      )}
    </aside>
  );
}

/** The part of names that the list is narrowed to. */
function nameInAddress(): string {
  return place.value.query['named'] ?? '';
}

function ItemList({
  keyspace,
  items,
  chosen,
}: {
  readonly keyspace: string;
  readonly items: readonly Item[];
  readonly chosen: string | undefined;
}) {
  return (
    <ul class="items">
      {items.map(({ kind, name }) => (
        <li key={name}>
          <a
            href={hrefOf(['data', keyspace, name], { named: nameInAddress() })}
            aria-current={name === chosen ? 'page' : undefined}
            title={name}
          >
            <Icon name={kind} />
            <span>{name}</span>
            <span class="hidden-label">{kind}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
