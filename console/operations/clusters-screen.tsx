// The Clusters screen: the Cassandra clusters that the server watches.
import { useState } from 'preact/hooks';
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { ConfirmDialog, Dialog } from '../parts/dialog.js';
import { SelectField, TextField } from '../parts/field.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { showToast } from '../state/toasts.js';
import { hrefOf, opened, openOver } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { useTask } from '../state/use-task.js';
import { change, type OpsNode, pathOf, read } from './ops-api.js';
import { Badge } from './show-values.js';

interface ClusterConfig {
  readonly id: string;
  readonly cassandra: {
    readonly seed_hosts: string;
    readonly native_port?: number;
    readonly username?: string;
  };
  readonly actions?: { readonly kind: string };
}

/** The Clusters screen. */
export function ClustersScreen() {
  const configs = useLoaded('clusters', (signal) =>
    read<Readonly<Record<string, ClusterConfig>>>('cluster-configs', signal),
  );
  const over = opened.value;
  const [removed, setRemoved] = useEntryState<string>();
  return (
    <div class="page">
      <header class="page-head">
        <h1>Clusters</h1>
        {mayChange() && (
          <Button kind="primary" icon="plus" onPress={() => openOver('new-cluster')}>
            Add a cluster
          </Button>
        )}
      </header>
      <p class="muted">
        This server, and the Apache Cassandra clusters that it watches. Each has its own events, rules and
        channels.
      </p>
      <Shown loaded={configs}>
        {(value) => <ClusterTable configs={Object.values(value)} onRemove={setRemoved} />}
      </Shown>
      {mayChange() && over?.kind === 'new-cluster' && (
        <ClusterDialog
          onClose={over.close}
          onDone={() => {
            over.close();
            configs.reload();
          }}
        />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title={`Remove the cluster ${removed}`}
          action="Remove"
          typed={removed}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await change('DELETE', pathOf('cluster-configs', removed));
            setRemoved(undefined);
            showToast(`The cluster ${removed} is removed`);
            configs.reload();
          }}
        >
          <p>The cluster itself is not changed. Its rules, channels and stored metrics are deleted here.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function ClusterTable(props: {
  readonly configs: readonly ClusterConfig[];
  readonly onRemove: (id: string) => void;
}) {
  const columns: readonly TableColumn<ClusterConfig>[] = [
    {
      title: 'Cluster',
      cell: ({ id }) => <a href={hrefOf(['overview'], { cluster: id === 'local' ? undefined : id })}>{id}</a>,
    },
    {
      title: 'Hosts',
      kind: 'wide',
      cell: ({ id, cassandra }) => (id === 'local' ? 'this server' : cassandra.seed_hosts),
    },
    { title: 'Nodes', isNamed: true, cell: ({ id }) => <NodeStates cluster={id} /> },
    { title: 'User', isNamed: true, cell: ({ cassandra }) => cassandra.username ?? '—' },
    {
      title: 'Actions by',
      isNamed: true,
      cell: ({ id, actions }) => actions?.kind ?? (id === 'local' ? 'this server' : 'none'),
    },
    {
      kind: 'buttons',
      cell: ({ id }) =>
        mayChange() &&
        id !== 'local' && (
          <Button icon="trash" label={`Remove the cluster ${id}`} onPress={() => props.onRemove(id)} />
        ),
    },
  ];
  return <DataTable label="Clusters" columns={columns} rows={props.configs} keyOf={({ id }) => id} />;
}

function NodeStates({ cluster }: { readonly cluster: string }) {
  const path = pathOf(cluster, 'nodes');
  const { value, failure } = useLoaded(path, (signal) => read<readonly OpsNode[]>(path, signal), {
    everyMs: 10_000,
  });
  if (failure !== undefined) return <span class="muted">{failure.message}</span>;
  const states = [...new Set((value ?? []).map(({ state }) => state))];
  return (
    <>
      {states.map((state) => (
        <span key={state}>
          {value?.filter((node) => node.state === state).length} <Badge word={state} />{' '}
        </span>
      ))}
    </>
  );
}

interface Trial {
  readonly outcome: 'connected' | 'failed';
  readonly reason: string;
  readonly nodes: readonly {
    readonly node_ip: string;
    readonly dc: string | null;
    readonly version: string | null;
  }[];
}

const emptyDraft = {
  id: '',
  hosts: '',
  port: '9042',
  username: '',
  password: '',
  actions: '',
  prometheus: '',
};

function ClusterDialog(props: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const [trial, setTrial] = useState<Trial>();
  const { running, failure, run } = useTask<'test' | 'add'>();
  const set = (name: keyof typeof emptyDraft) => (value: string) => setDraft({ ...draft, [name]: value });
  const test = () =>
    run('test', async () => {
      setTrial(undefined);
      setTrial(await change<Trial>('POST', 'connection-tests', bodyOf(draft)));
    });
  const add = () =>
    run('add', async () => {
      const id = await change<string>('POST', 'cluster-configs', bodyOf(draft));
      showToast(`The cluster ${id} is added`);
      return props.onDone;
    });
  return (
    <Dialog
      title="Add a cluster"
      onClose={props.onClose}
      onSubmit={() => void add()}
      isSending={running === 'add'}
      message={
        failure !== undefined ? (
          <FailureNotice failure={failure} />
        ) : (
          trial !== undefined && <TrialNotice trial={trial} />
        )
      }
      actions={
        <>
          <Button onPress={props.onClose}>Cancel</Button>
          <Button isBusy={running !== undefined} isDisabled={draft.hosts === ''} onPress={() => void test()}>
            Test the connection
          </Button>
          <Button kind="primary" type="submit" isBusy={running !== undefined} isDisabled={draft.hosts === ''}>
            Add
          </Button>
        </>
      }
    >
      <ClusterFields draft={draft} set={set} />
    </Dialog>
  );
}

function ClusterFields(props: {
  readonly draft: typeof emptyDraft;
  readonly set: (name: keyof typeof emptyDraft) => (value: string) => void;
}) {
  const { draft, set } = props;
  return (
    <>
      <TextField
        label="Hosts, separated by commas"
        value={draft.hosts}
        placeholder="10.0.0.1, 10.0.0.2"
        onChange={set('hosts')}
      />
      <div class="form-row">
        <TextField label="Port" value={draft.port} onChange={set('port')} />
        <TextField label="Id (optional)" value={draft.id} onChange={set('id')} />
      </div>
      <div class="form-row">
        <TextField label="User (optional)" value={draft.username} onChange={set('username')} />
        <TextField
          label="Password (optional)"
          type="password"
          autoComplete="new-password"
          value={draft.password}
          onChange={set('password')}
        />
      </div>
      <SelectField
        label="Actions"
        value={draft.actions}
        choices={[
          { value: '', label: 'none' },
          { value: 'nodetool', label: 'nodetool' },
          { value: 'management-api', label: 'management API' },
        ]}
        onChange={set('actions')}
      />
      <TextField
        label="Prometheus exporter (optional)"
        value={draft.prometheus}
        placeholder="http://{host}:9103/metrics"
        onChange={set('prometheus')}
      />
    </>
  );
}

function TrialNotice({ trial }: { readonly trial: Trial }) {
  if (trial.outcome === 'failed')
    return (
      <Notice kind="error" title="The cluster cannot be reached.">
        {trial.reason}
      </Notice>
    );
  return (
    <Notice kind="info" title={`Connected: ${counted(trial.nodes.length, 'node')}`}>
      <ul>
        {trial.nodes.map(({ node_ip: ip, dc, version }) => (
          <li key={ip}>{[ip, dc, version].filter((text) => text !== null).join(' · ')}</li>
        ))}
      </ul>
    </Notice>
  );
}

function bodyOf(draft: typeof emptyDraft): object {
  const { id, hosts, port, username, password, actions, prometheus } = draft;
  return {
    ...(id === '' ? {} : { id }),
    cassandra: {
      seed_hosts: hosts,
      // The server reports what is wrong with a text that is not a number.
      ...(port === '' ? {} : { native_port: Number.isFinite(Number(port)) ? Number(port) : port }),
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password }),
    },
    ...(actions === '' ? {} : { actions: { kind: actions } }),
    ...(prometheus === '' ? {} : { metrics: { prometheus } }),
  };
}
