// A table or a collection: its rows or documents, and its definition.
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { ConfirmDialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { Tabs, tabPanelId } from '../parts/tabs.js';
import { showToast } from '../state/toasts.js';
import { changeQuery, goTo, hrefOf, place, stayHere } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { sendCommand, type Target } from './command.js';
import { commandsTab } from './command-drafts.js';
import { DefinitionView } from './definition-view.js';
import type { ItemProps } from './item-props.js';
import { CommandsView } from './lazy-views.js';
import { RowsView } from './rows-view.js';
import { loadIndexes } from './schema.js';

/** The parts, as the address names them. */
const tabs = ['rows', 'definition', commandsTab] as const;

/** A table or a collection. */
export function ItemView(props: ItemProps) {
  const { keyspace, item } = props;
  const [isDropping, setDropping] = useEntryState<true>();
  const target: Target = { keyspace, name: item.name, kind: item.kind };
  const isTable = item.kind === 'table';
  const key = isTable ? `${keyspace}/${item.name}` : undefined;
  const indexes = useLoaded(key, (signal) => loadIndexes(target, signal));
  const tab = tabs.find((name) => name === place.value.query['tab']) ?? 'rows';
  return (
    <div class={tab === 'rows' ? 'item fixed' : 'item'}>
      <header class="item-head">
        <div class="crumbs">
          <a href={hrefOf(['data', keyspace])}>{keyspace}</a>
          <Icon name="right" />
          <h1>{item.name}</h1>
          <span class="badge">{item.kind}</span>
        </div>
        {mayChange() && (
          <Button kind="quiet" icon="trash" onPress={() => setDropping(true)}>
            Drop
          </Button>
        )}
      </header>
      <Tabs
        label={`Parts of ${item.name}`}
        tabs={[
          { id: 'rows', label: isTable ? 'Rows' : 'Documents' },
          { id: 'definition', label: isTable ? 'Columns and indexes' : 'Options' },
          { id: commandsTab, label: 'Commands' },
        ]}
        chosen={tab}
        onChoose={(id) =>
          changeQuery({ tab: id === 'rows' ? undefined : id, to: undefined, body: undefined })
        }
      />
      <div id={tabPanelId} role="tabpanel" class="item-panel">
        {tab === 'rows' ? (
          <RowsView {...props} target={target} indexes={indexes.value ?? []} onIndexed={indexes.reload} />
        ) : tab === commandsTab ? (
          <CommandsView
            target={target}
            onRun={() => {
              props.onChanged();
              indexes.reload();
            }}
          />
        ) : (
          <DefinitionView {...props} target={target} indexes={indexes} />
        )}
      </div>
      {isDropping === true && <DropItem {...props} onClose={() => setDropping(undefined)} />}
    </div>
  );
}

function DropItem({ keyspace, item, onChanged, onClose }: ItemProps & { readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Drop the ${item.kind} ${item.name}`}
      action={`Drop the ${item.kind}`}
      typed={item.name}
      onClose={onClose}
      onConfirm={async () => {
        const name = item.kind === 'table' ? 'dropTable' : 'deleteCollection';
        const isHere = stayHere();
        await sendCommand({ target: { keyspace }, name, body: { name: item.name } });
        showToast(`Dropped the ${item.kind} ${item.name}.`);
        onChanged();
        if (isHere()) goTo(['data', keyspace]);
      }}
    >
      <p>All its {item.kind === 'table' ? 'rows' : 'documents'} are deleted. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
