// The Actions screen: runs actions on nodes, shows how far they are, cancels them.
import { useState } from 'preact/hooks';
import type { OpsNode, OpsRequest } from '../../src/descriptions/operations-replies.js';
import { change, pathOf, read, useResource } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { SelectField, TextField } from '../parts/field.js';
import { EmptyState, FailureNotice, Notice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { showToast } from '../state/toasts.js';
import { doAndReport, useTask } from '../state/use-task.js';
import { ClusterPage } from './cluster-page.js';
import { kinds } from './kinds.js';
import { Badge, Seconds } from './show-values.js';

const waysToRun = [
  { value: 'nodetool', label: 'nodetool' },
  { value: 'management-api', label: 'management API' },
];

const underWay: readonly string[] = ['queued', 'running'];
const fastMs = 1000;
const slowMs = 5000;

export function ActionsScreen() {
  return <ClusterPage title="Actions" content={Actions} />;
}

function Actions({ cluster }: { readonly cluster: string }) {
  const [everyMs, setEveryMs] = useState(slowMs);
  const path = pathOf(cluster, 'requests');
  const requests = useLoaded(
    path,
    async (signal) => {
      const value = await read<readonly OpsRequest[]>(path, signal);
      setEveryMs(value.some(({ state }) => underWay.includes(state)) ? fastMs : slowMs);
      return value;
    },
    { everyMs },
  );
  return (
    <>
      <WaysToRun cluster={cluster} onStarted={requests.reload} />
      <Shown loaded={requests}>
        {(value) =>
          value.length === 0 ? (
            <EmptyState icon="actions" title="No action has run yet">
              The progress of each action is shown here, node by node.
            </EmptyState>
          ) : (
            <Requests requests={value} onChange={requests.reload} />
          )
        }
      </Shown>
    </>
  );
}

interface Configs {
  readonly [cluster: string]: { readonly actions?: { readonly kind: string } };
}

/** The form that runs actions; for a cluster that has no way to run them, why not, and the form that gives it one. */
function WaysToRun({ cluster, onStarted }: { readonly cluster: string; readonly onStarted: () => void }) {
  const isWatched = cluster !== 'local';
  const configs = useResource<Configs>(isWatched ? 'cluster-configs' : undefined);
  const runForm = mayChange() ? <RunForm cluster={cluster} onStarted={onStarted} /> : null;
  if (!isWatched) return runForm;
  // While nothing is known of the cluster, the screen shows no form: a notice could replace it a moment later.
  const config = configs.value?.[cluster];
  return (
    <>
      {configs.failure !== undefined && <FailureNotice failure={configs.failure} onRetry={configs.reload} />}
      {config !== undefined && config.actions === undefined && (
        <NoActions cluster={cluster} onDone={configs.reload} />
      )}
      {config?.actions !== undefined && runForm}
    </>
  );
}

function NoActions({ cluster, onDone }: { readonly cluster: string; readonly onDone: () => void }) {
  const [kind, setKind] = useState('nodetool');
  const { running, failure, run } = useTask();
  const save = () =>
    run('save', async () => {
      await change('PUT', pathOf('cluster-configs', cluster, 'partial'), { actions: { kind } });
      showToast(`Actions on ${cluster} run by ${kind}`);
      onDone();
    });
  return (
    <Notice kind="info" title={`Actions are not set up for the cluster ${cluster}.`}>
      <p>
        This server runs them with <code>nodetool</code> or through the management API of each node.
        {!mayChange() && ' An operator can choose which.'}
      </p>
      {mayChange() && (
        <div class="form-row">
          <SelectField label="Run actions by" value={kind} choices={waysToRun} onChange={setKind} />
          <Button isBusy={running !== undefined} onPress={() => void save()}>
            Set up
          </Button>
        </div>
      )}
      {failure !== undefined && <FailureNotice failure={failure} />}
    </Notice>
  );
}

function RunForm({ cluster, onStarted }: { readonly cluster: string; readonly onStarted: () => void }) {
  const nodes = useResource<readonly OpsNode[]>(pathOf(cluster, 'nodes'));
  const [action, setAction] = useState('flush');
  const [node, setNode] = useState('');
  const [keyspace, setKeyspace] = useState('');
  const [tables, setTables] = useState('');
  const { running, failure, run } = useTask();
  const actions = kinds().actions.map(({ name, label }) => ({ value: name, label: `${name}: ${label}` }));
  const addresses = (nodes.value ?? []).map(({ node_ip: ip }) => ip);
  const start = () =>
    run('save', async () => {
      const names = tables.split(',').map((name) => name.trim());
      const of = keyspace.trim() === '' ? {} : { keyspace: keyspace.trim(), tables: names.filter(Boolean) };
      await change('POST', pathOf(cluster, 'ops'), {
        action,
        ips: node === '' ? [] : [node],
        sleep: 0,
        ...of,
      });
      onStarted();
      showToast(`The action ${action} is started`);
    });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <h2>Run an action</h2>
      <div class="form-row">
        <SelectField label="Action" isWide value={action} choices={actions} onChange={setAction} />
        <SelectField
          label="Node"
          value={node}
          choices={[
            { value: '', label: addresses.length > 1 ? 'All, one after another' : 'All' },
            ...addresses,
          ]}
          onChange={setNode}
        />
        <TextField label="Keyspace" value={keyspace} placeholder="All keyspaces" onChange={setKeyspace} />
        <TextField
          label="Tables, separated by commas"
          value={tables}
          placeholder="All tables"
          isDisabled={keyspace.trim() === ''}
          onChange={setTables}
        />
        <Button kind="primary" type="submit" icon="actions" isBusy={running !== undefined}>
          Run
        </Button>
      </div>
      {nodes.failure !== undefined && <FailureNotice failure={nodes.failure} onRetry={nodes.reload} />}
      {failure !== undefined && <FailureNotice failure={failure} />}
    </form>
  );
}

function Requests(props: { readonly requests: readonly OpsRequest[]; readonly onChange: () => void }) {
  const cancel = ({ id }: OpsRequest) =>
    void doAndReport(
      'No further step is started',
      () => change('POST', `request/${encodeURIComponent(id)}/cancel`),
      props.onChange,
    );
  const columns: readonly TableColumn<OpsRequest>[] = [
    { title: 'Action', cell: ({ action }) => action },
    {
      title: 'What',
      cell: ({ keyspace, tables }) => (keyspace === '' ? 'all keyspaces' : [keyspace, ...tables].join(' ')),
    },
    { title: 'State', cell: ({ state }) => <Badge word={state} /> },
    { title: 'Progress', kind: 'wide', cell: (request) => <RequestProgress {...request} /> },
    {
      title: 'Started',
      kind: 'line',
      isNamed: true,
      cell: ({ created }) => <Seconds at={created} isRelative />,
    },
    {
      title: 'Ended',
      kind: 'line',
      isNamed: true,
      cell: ({ finished }) => (finished === null ? '—' : <Seconds at={finished} isRelative />),
    },
    {
      kind: 'buttons',
      cell: (request) =>
        mayChange() &&
        underWay.includes(request.state) && <Button onPress={() => cancel(request)}>Cancel</Button>,
    },
  ];
  return <DataTable label="Actions" columns={columns} rows={props.requests} keyOf={({ id }) => id} />;
}

function RequestProgress({ action, state, details }: OpsRequest) {
  const done = details.filter((one) => !underWay.includes(one.state)).length;
  return (
    <>
      {underWay.includes(state) && (
        <>
          <progress aria-label={`Progress of ${action}`} max={Math.max(1, details.length)} value={done} />
          <br />
        </>
      )}
      {details.map(({ node, state: stateOfNode, detail }) => (
        <div key={node}>
          {details.length > 1 ? `${node}: ${stateOfNode} ` : ''}
          <span class="muted">{detail}</span>
        </div>
      ))}
    </>
  );
}
