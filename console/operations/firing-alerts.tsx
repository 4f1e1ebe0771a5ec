// The alerts that fire, of one cluster or of all, with what can be done about each, and who was notified of it.
import type { OpsAlert, OpsSilence } from '../../src/descriptions/operations-replies.js';
import { alertSummaries, noteAlertChange } from '../net/alert-summary.js';
import { change, pathOf, read } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { allClusters, clusterQuery, hrefOf, openOver, partText } from '../state/url-state.js';
import { doAndReport } from '../state/use-task.js';
import { kinds } from './kinds.js';
import { RuleLink } from './rule-link.js';
import type { OpsRule } from './rule-words.js';
import { Badge, Seconds, shortNumber } from './show-values.js';
import { matchersOfAlert, matchersSubject, silenceOf, silenceSubject } from './silences.js';

const everyMs = 5000;

/** A firing alert with what the list shows of it. */
interface AlertRow {
  readonly cluster: string;
  readonly alert: OpsAlert;
  readonly rules: readonly OpsRule[];
  /** The silence that holds its notices. */
  readonly silence: OpsSilence | undefined;
}

/** The firing alerts of some clusters; `changes` counts what was changed beside the list. */
export function FiringAlerts({
  clusters,
  changes,
}: {
  readonly clusters: readonly string[];
  readonly changes: number;
}) {
  const rows = useLoaded(
    clusters.length === 0 ? undefined : JSON.stringify(clusters),
    (signal) => readRows(clusters, signal),
    { everyMs, changes },
  );
  const onChange = () => {
    rows.reload();
    noteAlertChange();
  };
  const isMany = clusters.length > 1;
  return (
    <>
      <Shown loaded={rows}>
        {({ alerts, ruleCount, enabledCount }) =>
          alerts.length === 0 ? (
            <NothingFires clusters={clusters} ruleCount={ruleCount} enabledCount={enabledCount} />
          ) : (
            <DataTable
              label="Firing alerts"
              columns={alertColumns(isMany, onChange)}
              rows={alerts}
              keyOf={({ cluster, alert }) => `${cluster} ${alert.id}`}
            />
          )
        }
      </Shown>
      {!isMany && <OtherClusters shown={clusters} />}
    </>
  );
}

/** Says why the list is empty: nothing is watched, or everything that is watched is fine. */
function NothingFires(props: {
  readonly clusters: readonly string[];
  readonly ruleCount: number;
  readonly enabledCount: number;
}) {
  const [cluster] = props.clusters.length === 1 ? props.clusters : [allClusters];

  const open = cluster === allClusters ? undefined : partText({ kind: 'new-rule', subject: '' });
  if (props.ruleCount === 0)
    return (
      <EmptyState
        icon="alerts"
        title="There are no rules yet"
        actions={
          mayChange() && <a href={hrefOf(['alerts'], { tab: 'rules', cluster, open })}>Create a rule</a>
        }
      >
        Alerts fire when a condition of a rule holds.
      </EmptyState>
    );
  if (props.enabledCount === 0)
    return (
      <EmptyState
        icon="alerts"
        title="No rule is on"
        actions={<a href={hrefOf(['alerts'], { tab: 'rules', cluster })}>Show the rules</a>}
      >
        A rule that is off fires no alerts.
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title="No alert is firing">
      No condition of a rule holds.
    </EmptyState>
  );
}

/** What fires in clusters that are not shown. */
function OtherClusters({ shown }: { readonly shown: readonly string[] }) {
  const others = (alertSummaries.value ?? []).filter(({ cluster }) => !shown.includes(cluster));
  const count = others.reduce((sum, { firing }) => sum + firing, 0);
  if (count === 0) return null;
  return (
    <p>
      <a href={hrefOf(['alerts'], { cluster: allClusters })}>
        {counted(count, 'alert')} {count === 1 ? 'fires' : 'fire'} in other clusters: show all
      </a>
    </p>
  );
}

/** Reads alerts, the most severe first, then the oldest, and counts the rules and those that are on. */
async function readRows(clusters: readonly string[], signal: AbortSignal) {
  const lists = await Promise.all(
    clusters.map(async (cluster) => {
      const [alerts, rules, silences] = await Promise.all([
        read<readonly OpsAlert[]>(pathOf(cluster, 'alerts'), signal),
        read<readonly OpsRule[]>(pathOf(cluster, 'alert-rules'), signal),
        read<readonly OpsSilence[]>(pathOf(cluster, 'silences'), signal),
      ]);
      const rows = alerts.map((alert) => ({ cluster, alert, rules, silence: silenceOf(alert, silences) }));
      return { rows, rules };
    }),
  );
  const { levels } = kinds();
  const severity = ({ alert }: AlertRow) => levels.indexOf(alert.level);
  const rules = lists.flatMap((list) => list.rules);
  return {
    alerts: lists
      .flatMap(({ rows }) => rows)
      .sort(
        (one, other) => severity(other) - severity(one) || one.alert.first_fired - other.alert.first_fired,
      ),
    ruleCount: rules.length,
    enabledCount: rules.filter(({ enabled }) => enabled === 1).length,
  };
}

function alertColumns(isMany: boolean, onChange: () => void): readonly TableColumn<AlertRow>[] {
  const ofCluster: TableColumn<AlertRow> = {
    title: 'Cluster',
    isNamed: true,
    cell: ({ cluster }) => <a href={hrefOf(['overview'], clusterQuery(cluster))}>{cluster}</a>,
  };
  return [
    {
      title: 'Alert',
      kind: 'wide',
      cell: ({ cluster, alert, rules }) => (
        <>
          <RuleLink cluster={cluster} id={alert.alert_rule_id} rules={rules} />
          <br />
          <span class="muted">{whereText(alert)}</span>
        </>
      ),
    },
    ...(isMany ? [ofCluster] : []),
    { title: 'Level and state', cell: (row) => <AlertState {...row} /> },
    {
      title: 'Value',
      kind: 'number',
      isNamed: true,
      cell: ({ alert }) => shortNumber(alert.current_value),
    },
    {
      title: 'Since',
      isNamed: true,
      cell: ({ alert }) => <Seconds at={alert.first_fired} isRelative />,
    },
    { kind: 'buttons', cell: (row) => <AlertButtons {...row} onChange={onChange} /> },
  ];
}

function AlertState({ alert, silence }: AlertRow) {
  return (
    <div class="alert-state">
      <span>
        <Badge word={alert.level} /> <Badge word={alert.state} />{' '}
        {silence !== undefined && <Badge word="silenced" />}
      </span>
      {silence !== undefined && (
        <span class="muted">
          until <Seconds at={silence.end} />
          {silence.author === '' ? '' : ` by ${silence.author}`}
          {silence.comment === '' ? '' : `: ${silence.comment}`}
        </span>
      )}
    </div>
  );
}

function AlertButtons(props: AlertRow & { readonly onChange: () => void }) {
  const { cluster, alert, silence, onChange } = props;
  const isAcknowledged = alert.state === 'acknowledged';
  const acknowledge = () =>
    void doAndReport(
      isAcknowledged ? 'The acknowledgement is taken back' : 'Acknowledged',
      () => change(isAcknowledged ? 'DELETE' : 'POST', pathOf(cluster, 'alerts', alert.id, 'ack')),
      onChange,
    );
  // The button changes a silence that holds the alert: another one beside it would be confusing.
  const subject = silence === undefined ? matchersSubject(matchersOfAlert(alert)) : silenceSubject(silence);
  return (
    <div class="button-row end-row">
      {mayChange() && (
        <Button
          label={
            isAcknowledged
              ? 'Channels are notified of it again when it is repeated'
              : 'Channels are not notified of it again until it clears'
          }
          onPress={acknowledge}
        >
          {isAcknowledged ? 'Unacknowledge' : 'Acknowledge'}
        </Button>
      )}
      {mayChange() && (
        <Button onPress={() => openOver('silence', subjectIn(cluster, subject))}>
          {silence === undefined ? 'Silence' : 'Change silence'}
        </Button>
      )}
      <Button kind="quiet" onPress={() => openOver('alert', subjectIn(cluster, alert.id))}>
        Why was I not notified?
      </Button>
    </div>
  );
}

/** What is open beside a list of several clusters: `cluster/subject`. No id of a cluster has a slash. */
export function subjectIn(cluster: string, subject: string): string {
  return `${cluster}/${subject}`;
}

function whereText({ node, table, device, dc }: OpsAlert): string {
  const where = [table ?? device, node === '' ? 'the whole cluster' : node, dc];
  return where.filter((text) => text !== null && text !== '').join(' · ');
}
