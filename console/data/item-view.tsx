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
import { DefinitionView } from './definition-view.js';
import type { ItemProps } from './item-props.js';
import { RowsView } from './rows-view.js';
import { loadIndexes } from './schema.js';

/** A table or a collection. */
export function ItemView(props: ItemProps) {
  const { keyspace, item } = props;
  const [isDropping, setDropping] = useEntryState<true>();
  const target: Target = { keyspace, name: item.name, kind: item.kind };
  const isTable = item.kind === 'table';
  const key = isTable ? `${keyspace}/${item.name}` : undefined;
  const indexes = useLoaded(key, (signal) => loadIndexes(target, signal));
  const tab = place.value.query['tab'] === 'definition' ? 'definition' : 'rows';
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
        ]}
        chosen={tab}
        onChoose={(id) => changeQuery({ tab: id === 'rows' ? undefined : id })}
      />
      <div id={tabPanelId} role="tabpanel" class="item-panel">
        {tab === 'rows' ? (
          <RowsView {...props} target={target} indexes={indexes.value ?? []} onIndexed={indexes.reload} />
        ) : (
          <DefinitionView {...props} target={target} indexes={indexes} />
        )}
      </div>
      {isDropping === true && (
        <ConfirmDialog
          title={`Drop the ${item.kind} ${item.name}`}
          action={`Drop the ${item.kind}`}
          typed={item.name}
          onClose={() => setDropping(undefined)}
          onConfirm={async () => {
            const name = isTable ? 'dropTable' : 'deleteCollection';
            const isHere = stayHere();
            await sendCommand({ target: { keyspace }, name, body: { name: item.name } });
            showToast(`Dropped the ${item.kind} ${item.name}.`);
            props.onChanged();
            if (isHere()) goTo(['data', keyspace]);
          }}
        >
          <p>All its {isTable ? 'rows' : 'documents'} are deleted. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
