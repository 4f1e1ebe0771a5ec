// The alerts that fire, with what can be done about each, and who was notified of it.
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { openOver } from '../state/url-state.js';
import { doAndReport } from '../state/use-task.js';
import { change, type OpsAlert, type OpsRule, pathOf, read } from './ops-api.js';
import { RuleLink } from './rule-link.js';
import { Badge, Seconds, shortNumber } from './show-values.js';

const everyMs = 5000;

/** The firing alerts of a cluster. */
export function FiringAlerts({
  cluster,
  rules,
}: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
}) {
  const path = pathOf(cluster, 'alerts');
  const alerts = useLoaded(path, (signal) => read<readonly OpsAlert[]>(path, signal), { everyMs });
  const columns = alertColumns({ cluster, rules, onChange: alerts.reload });
  return (
    <Shown loaded={alerts}>
      {(value) =>
        value.length === 0 ? (
          <EmptyState icon="check" title="No alert is firing">
            {rules.length === 0
              ? 'There are no rules yet: create one under Rules.'
              : 'All conditions of the rules are fine.'}
          </EmptyState>
        ) : (
          <DataTable label="Firing alerts" columns={columns} rows={value} keyOf={({ id }) => id} />
        )
      }
    </Shown>
  );
}

function alertColumns({
  cluster,
  rules,
  onChange,
}: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
  readonly onChange: () => void;
}): readonly TableColumn<OpsAlert>[] {
  return [
    {
      title: 'Alert',
      kind: 'wide',
      cell: (alert) => (
        <>
          <RuleLink cluster={cluster} id={alert.alert_rule_id} rules={rules} />
          <br />
          <span class="muted">{whereText(alert)}</span>
        </>
      ),
    },
    { title: 'Level', cell: ({ level }) => <Badge word={level} /> },
    { title: 'State', cell: ({ state }) => <Badge word={state} /> },
    {
      title: 'Value',
      kind: 'number',
      isNamed: true,
      cell: ({ current_value: value }) => shortNumber(value),
    },
    {
      title: 'Since',
      kind: 'line',
      isNamed: true,
      cell: ({ first_fired: at }) => <Seconds at={at} isRelative />,
    },
    {
      kind: 'buttons',
      cell: (alert) => <AlertButtons cluster={cluster} alert={alert} onChange={onChange} />,
    },
  ];
}

function AlertButtons(props: {
  readonly cluster: string;
  readonly alert: OpsAlert;
  readonly onChange: () => void;
}) {
  const { cluster, alert, onChange } = props;
  const send = (done: string, name: string, body?: object) =>
    void doAndReport(done, () => change('POST', pathOf(cluster, 'alerts', alert.id, name), body), onChange);
  return (
    <div class="button-row end-row">
      {mayChange() && alert.state !== 'acknowledged' && (
        <Button onPress={() => send('Acknowledged', 'ack')}>Acknowledge</Button>
      )}
      {mayChange() && (
        <Button
          label="Acknowledges the alert and holds notices of its rule on this node for an hour"
          onPress={() => send('Silenced for an hour', 'silence', { minutes: 60 })}
        >
          Silence 1 h
        </Button>
      )}
      <Button kind="quiet" onPress={() => openOver('notices', alert.id)}>
        Why was I not notified?
      </Button>
    </div>
  );
}

function whereText({ node, table, device, dc }: OpsAlert): string {
  const where = [table ?? device, node === '' ? 'the whole cluster' : node, dc];
  return where.filter((text) => text !== null && text !== '').join(' · ');
}
