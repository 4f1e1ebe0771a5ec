// The form of a watched cluster: adds one, or changes its settings.
import { useState } from 'preact/hooks';
import type { ConnectionTrial, ShownConfig } from '../../src/descriptions/operations-replies.js';
import { change, pathOf } from '../net/ops-api.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Dialog, MissingDialog } from '../parts/dialog.js';
import { SelectField, TextField } from '../parts/field.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import type { Opened } from '../state/url-state.js';
import { useTask } from '../state/use-task.js';

/** What the form has, as it was typed. */
const emptyDraft = {
  id: '',
  hosts: '',
  port: '9042',
  datacenter: '',
  username: '',
  password: '',
  actions: '',
  actionsPort: '',
  prometheus: '',
};

type Draft = typeof emptyDraft;

function draftOf({ id, cassandra, actions, metrics }: ShownConfig): Draft {
  return {
    id,
    hosts: cassandra.seed_hosts,
    port: String(cassandra.native_port ?? ''),
    datacenter: cassandra.local_datacenter ?? '',
    username: cassandra.username ?? '',
    password: '',
    actions: actions?.kind ?? '',
    actionsPort: String(actions?.port ?? ''),
    prometheus: metrics?.prometheus ?? '',
  };
}

/** The form that the address opens: of a new cluster, or of one that is watched. */
export function OpenedCluster(props: {
  readonly over: Opened;
  readonly configs: Readonly<Record<string, ShownConfig>>;
  readonly onChanged: () => void;
}) {
  const { over, configs } = props;
  const ends = {
    onClose: over.close,
    onDone: () => {
      over.close();
      props.onChanged();
    },
  };
  if (over.kind === 'new-cluster') return <ClusterDialog known={undefined} {...ends} />;
  if (over.kind !== 'cluster') return null;
  const known = over.subject === 'local' ? undefined : configs[over.subject];
  if (known !== undefined) return <ClusterDialog known={known} {...ends} />;
  return (
    <MissingDialog title="This cluster has no settings" onClose={over.close}>
      {over.subject === 'local'
        ? 'The cluster local is this server: the options of its start are its settings.'
        : 'It was removed, or the link is of another server.'}
    </MissingDialog>
  );
}

/** Adds a cluster, or changes the one with this id; returns what to show. */
async function stored(id: string | undefined, body: ReturnType<typeof bodyOf>): Promise<string> {
  if (id === undefined)
    return `The cluster ${await change<string>('POST', 'cluster-configs', body)} is added`;
  await change('PUT', pathOf('cluster-configs', id), body);
  return `The settings of ${id} are saved`;
}

function ClusterDialog(props: {
  readonly known: ShownConfig | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { known } = props;
  const [draft, setDraft] = useState(known === undefined ? emptyDraft : draftOf(known));
  const [trial, setTrial] = useState<ConnectionTrial>();
  const { running, failure, run } = useTask<'test' | 'save'>();
  const body = bodyOf(draft, known !== undefined);
  const test = () =>
    run('test', async () => {
      setTrial(undefined);
      setTrial(await change<ConnectionTrial>('POST', 'connection-tests', body));
    });
  const save = () =>
    run('save', async () => {
      showToast(await stored(known?.id, body));
      return props.onDone;
    });
  const isBusy = running !== undefined;
  const isDisabled = draft.hosts === '';
  return (
    <Dialog
      title={known === undefined ? 'Add a cluster' : `Edit the cluster ${known.id}`}
      onClose={props.onClose}
      onSubmit={() => void save()}
      isSending={running === 'save'}
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
          <Button {...{ isBusy, isDisabled }} onPress={() => void test()}>
            Test the connection
          </Button>
          <Button kind="primary" type="submit" {...{ isBusy, isDisabled }}>
            {known === undefined ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <ClusterFields
        draft={draft}
        known={known}
        set={(name) => (value) => setDraft({ ...draft, [name]: value })}
      />
    </Dialog>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly known: ShownConfig | undefined;
  readonly set: (name: keyof Draft) => (value: string) => void;
}

function ClusterFields(props: FieldsProps) {
  const { draft, known, set } = props;
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
        <TextField
          label={known === undefined ? 'Id (optional)' : 'Id'}
          value={draft.id}
          isReadOnly={known !== undefined}
          onChange={set('id')}
        />
        <TextField
          label="Local data center (optional)"
          value={draft.datacenter}
          onChange={set('datacenter')}
        />
      </div>
      <LoginFields {...props} />
      <div class="form-row">
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
        {draft.actions !== '' && (
          <TextField
            label="Port of actions (optional)"
            value={draft.actionsPort}
            placeholder={draft.actions === 'nodetool' ? '7199' : '8080'}
            onChange={set('actionsPort')}
          />
        )}
      </div>
      <TextField
        label="Prometheus exporter (optional)"
        value={draft.prometheus}
        placeholder="http://{host}:9103/metrics"
        onChange={set('prometheus')}
      />
    </>
  );
}

/** The login of the cluster. A stored password is never shown, and never sent to other hosts than its own. */
function LoginFields({ draft, known, set }: FieldsProps) {
  const before = known === undefined ? draft : draftOf(known);
  const isMoved = draft.hosts !== before.hosts || draft.port !== before.port;
  const hint = isMoved
    ? 'The hosts or the port change: type the password again. The stored one is not sent to others.'
    : 'Empty keeps the stored one; without a user it is deleted.';
  return (
    <div class="form-row">
      <TextField label="User (optional)" value={draft.username} onChange={set('username')} />
      <TextField
        label="Password (optional)"
        type="password"
        autoComplete="new-password"
        value={draft.password}
        {...(known?.cassandra.username === undefined ? {} : { hint })}
        onChange={set('password')}
      />
    </div>
  );
}

function TrialNotice({ trial }: { readonly trial: ConnectionTrial }) {
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

/** The body of a request. A cluster that exists keeps its password if it is absent; null removes it. */
function bodyOf(draft: Draft, isKnown: boolean): object {
  const { id, hosts, port, datacenter, username, password, actions, actionsPort, prometheus } = draft;
  return {
    ...(id === '' ? {} : { id }),
    cassandra: {
      seed_hosts: hosts,
      ...(port === '' ? {} : { native_port: portOf(port) }),
      ...(datacenter === '' ? {} : { local_datacenter: datacenter }),
      ...(username === '' ? {} : { username }),
      ...(password !== '' ? { password } : isKnown && username === '' ? { password: null } : {}),
    },
    ...(actions === ''
      ? {}
      : { actions: { kind: actions, ...(actionsPort === '' ? {} : { port: portOf(actionsPort) }) } }),
    ...(prometheus === '' ? {} : { metrics: { prometheus } }),
  };
}

/** The number of a text; the server reports what is wrong with one that is not a number. */
function portOf(text: string): number | string {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}
