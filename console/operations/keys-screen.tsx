// The Keys screen: the names in the key store of embedding providers. Secrets are written, never read.
import { useState } from 'preact/hooks';
import { change, pathOf, useResource } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { ConfirmDialog, Dialog } from '../parts/dialog.js';
import { SelectField, TextField } from '../parts/field.js';
import { EmptyState, FailureNotice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { showToast } from '../state/toasts.js';
import { opened, openOver } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { useTask } from '../state/use-task.js';

export function KeysScreen() {
  const path = pathOf('local', 'embedding-keys');
  const keys = useResource<readonly string[]>(path);
  const over = opened.value;
  const [removed, setRemoved] = useEntryState<string>();
  const add = mayChange() && (
    <Button kind="primary" icon="plus" onPress={() => openOver('new-key')}>
      New key
    </Button>
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>Keys</h1>
        {keys.value !== undefined && keys.value.length > 0 && add}
      </header>
      <p class="muted">
        Keys of embedding providers, stored encrypted. Columns refer to them by name; secrets are never shown.
      </p>
      <Shown loaded={keys}>
        {(names) =>
          names.length === 0 ? (
            <EmptyState icon="key" title="There are no keys" actions={add}>
              Add the key of an embedding provider to make vectors of texts without sending it with each
              request.
            </EmptyState>
          ) : (
            <KeyTable names={names} onRemove={setRemoved} />
          )
        }
      </Shown>
      {mayChange() && over?.kind === 'new-key' && (
        <KeyDialog
          onClose={over.close}
          onDone={() => {
            over.close();
            keys.reload();
          }}
        />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title={`Remove the key ${removed}`}
          action="Remove"
          typed={removed}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await change('DELETE', pathOf('local', 'embedding-keys', removed));
            setRemoved(undefined);
            showToast(`The key ${removed} is removed`);
            keys.reload();
          }}
        >
          <p>Columns that refer to it cannot make vectors of texts any more.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function KeyTable(props: { readonly names: readonly string[]; readonly onRemove: (name: string) => void }) {
  const columns: readonly TableColumn<string>[] = [
    { title: 'Name', cell: (name) => name },
    {
      kind: 'buttons',
      cell: (name) =>
        mayChange() && (
          <Button icon="trash" label={`Remove the key ${name}`} onPress={() => props.onRemove(name)} />
        ),
    },
  ];
  return <DataTable label="Keys" columns={columns} rows={props.names} keyOf={(name) => name} />;
}

const kinds = [
  { value: 'providerKey', label: 'API key' },
  { value: 'aws', label: 'Access id and secret key (Amazon Bedrock)' },
] as const;

function KeyDialog(props: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState('providerKey');
  const [secret, setSecret] = useState('');
  const [accessId, setAccessId] = useState('');
  const [provider, setProvider] = useState('');
  const { running, failure, run } = useTask();
  const save = () =>
    run('save', async () => {
      const secrets = kind === 'providerKey' ? { providerKey: secret } : { accessId, secretKey: secret };
      const body = { ...secrets, ...boundTo(provider) };
      await change('PUT', pathOf('local', 'embedding-keys', name.trim()), body);
      showToast(`The key ${name.trim()} is stored`);
      return props.onDone;
    });
  return (
    <Dialog
      title="New key"
      onClose={props.onClose}
      onSubmit={() => void save()}
      isSending={running !== undefined}
      message={failure !== undefined && <FailureNotice failure={failure} />}
      actions={
        <>
          <Button onPress={props.onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={running !== undefined}
            isDisabled={name.trim() === '' || secret === ''}
          >
            Store
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        hint="A key that exists under this name is replaced."
      />
      <SelectField label="Kind" value={kind} choices={kinds} onChange={setKind} />
      {kind === 'aws' && <TextField label="Access id" value={accessId} onChange={setAccessId} />}
      <TextField
        label={kind === 'aws' ? 'Secret key' : 'API key'}
        type="password"
        value={secret}
        autoComplete="new-password"
        onChange={setSecret}
      />
      <ProvidersField value={provider} onChange={setProvider} />
    </Dialog>
  );
}

/** The member `providers` of an entry; without names an entry that is replaced keeps its own. */
function boundTo(names: string): { readonly providers?: readonly string[] } {
  return names.trim() === '' ? {} : { providers: names.trim().split(/\s*,\s*/) };
}

function ProvidersField(props: { readonly value: string; readonly onChange: (names: string) => void }) {
  return (
    <TextField
      label="Only for the providers"
      {...props}
      hint="Names with commas. If it is empty, a new key is for all but huggingfaceDedicated."
    />
  );
}
