// The Clusters screen: the Cassandra clusters that the server watches.
import type { OpsNode, ShownConfig } from '../../src/descriptions/operations-replies.js';
import { change, pathOf, useResource } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { ConfirmDialog } from '../parts/dialog.js';
import { Shown } from '../parts/shown.js';
import { showToast } from '../state/toasts.js';
import { clusterQuery, hrefOf, opened, openOver } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { OpenedCluster } from './cluster-dialog.js';
import { Badge } from './show-values.js';

export function ClustersScreen() {
  const configs = useResource<Readonly<Record<string, ShownConfig>>>('cluster-configs');
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
      {mayChange() && over !== undefined && configs.value !== undefined && (
        <OpenedCluster
          key={`${over.kind}:${over.subject}`}
          over={over}
          configs={configs.value}
          onChanged={configs.reload}
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
  readonly configs: readonly ShownConfig[];
  readonly onRemove: (id: string) => void;
}) {
  const columns: readonly TableColumn<ShownConfig>[] = [
    {
      title: 'Cluster',
      cell: ({ id }) => <a href={hrefOf(['overview'], clusterQuery(id))}>{id}</a>,
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
          <>
            <Button icon="edit" label={`Edit the cluster ${id}`} onPress={() => openOver('cluster', id)} />
            <Button icon="trash" label={`Remove the cluster ${id}`} onPress={() => props.onRemove(id)} />
          </>
        ),
    },
  ];
  return <DataTable label="Clusters" columns={columns} rows={props.configs} keyOf={({ id }) => id} />;
}

function NodeStates({ cluster }: { readonly cluster: string }) {
  const path = pathOf(cluster, 'nodes');
  const { value, failure } = useResource<readonly OpsNode[]>(path, {
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
