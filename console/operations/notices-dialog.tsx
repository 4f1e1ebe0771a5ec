// One alert: what fires, what its rule says about it, who was notified of it, and why others were not.
import type { ComponentChildren } from 'preact';
import type { OpsAlert, OpsExplanation, OpsSilence } from '../../src/descriptions/operations-replies.js';
import { pathOf, read, useResource } from '../net/ops-api.js';
import { useLoaded } from '../net/use-loaded.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { Dialog } from '../parts/dialog.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { type OpsRule, ruleText } from './rule-words.js';
import { Badge, Seconds, shortNumber } from './show-values.js';
import { silenceOf } from './silences.js';

const everyMs = 5000;

const columns: readonly TableColumn<OpsExplanation>[] = [
  { title: 'Channel', cell: ({ channel }) => channel },
  { title: 'State', cell: ({ state }) => <Badge word={state} /> },
  {
    title: 'Reason',
    kind: 'wide',
    cell: ({ stage, reason }) => (
      <>
        {stage !== null && <code>{stage}</code>} {reason}
      </>
    ),
  },
  {
    title: 'Last delivery',
    isNamed: true,
    cell: ({ last }) =>
      last === null ? (
        <span class="muted">none</span>
      ) : (
        <>
          <Badge word={last.outcome} /> <Seconds at={Number(last.time) / 1e6} isRelative />
        </>
      ),
  },
];

/** Reads what is known of an alert: nothing, when it is over. */
async function readFacts(cluster: string, alertId: string, signal: AbortSignal) {
  const [alerts, rules, silences] = await Promise.all([
    read<readonly OpsAlert[]>(pathOf(cluster, 'alerts'), signal),
    read<readonly OpsRule[]>(pathOf(cluster, 'alert-rules'), signal),
    read<readonly OpsSilence[]>(pathOf(cluster, 'silences'), signal),
  ]);
  const alert = alerts.find(({ id }) => id === alertId);
  return {
    alert,
    rule: rules.find(({ id }) => id === alert?.alert_rule_id),
    silence: alert === undefined ? undefined : silenceOf(alert, silences),
  };
}

/** The page of an alert, which may be over. */
export function NoticesDialog(props: {
  readonly cluster: string;
  readonly alertId: string;
  readonly onClose: () => void;
}) {
  const { cluster, alertId, onClose } = props;
  const path = pathOf(cluster, 'alerts', alertId, 'notices');
  const notices = useResource<readonly OpsExplanation[]>(path, { everyMs });
  const facts = useLoaded(`${path} facts`, (signal) => readFacts(cluster, alertId, signal), { everyMs });
  return (
    <Dialog title="Alert" isWide onClose={onClose}>
      {facts.value !== undefined && <AlertText cluster={cluster} alertId={alertId} {...facts.value} />}
      <h3>Who was notified</h3>
      <Shown loaded={notices}>
        {(value) =>
          value.length === 0 ? (
            <EmptyState icon="notifications" title="There are no channels">
              Nobody is notified of alerts of this cluster: add a channel under Notifications.
            </EmptyState>
          ) : (
            <DataTable label="Channels" columns={columns} rows={value} keyOf={({ channel_id: id }) => id} />
          )
        }
      </Shown>
    </Dialog>
  );
}

type AlertFacts = Awaited<ReturnType<typeof readFacts>>;

function AlertText(props: AlertFacts & { readonly cluster: string; readonly alertId: string }) {
  const { cluster, alertId, alert, rule, silence } = props;
  if (alert === undefined)
    return (
      <p class="muted">
        The alert <code>{alertId}</code> of the cluster {cluster} does not fire any more.
      </p>
    );
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Rule', rule === undefined ? <code>{alert.alert_rule_id}</code> : ruleText(rule)],
    ['Level', <Badge key="level" word={alert.level} />],
    ['State', <Badge key="state" word={alert.state} />],
    ['Value', shortNumber(alert.current_value)],
    ['Since', <Seconds key="since" at={alert.first_fired} />],
    ['Cluster', cluster],
    ['Node', alert.node],
    ['Data center', alert.dc],
    ['Table', alert.table],
    ['Device', alert.device],
    ['Silence', silence === undefined ? null : <Seconds key="silence" at={silence.end} />],
    ...Object.entries(rule?.annotations ?? {}).map(
      ([name, text]) => [name, <Linked key={name} text={text} />] as const,
    ),
    ['Alert', <code key="id">{alertId}</code>],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value], at) =>
        value === null || value === '' ? null : (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** A text of an annotation; an address of a web page is a link. */
function Linked({ text }: { readonly text: string }) {
  if (!/^https?:\/\/\S+$/.test(text)) return <>{text}</>;
  return (
    <a href={text} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
