// The alerts that fire, with what can be done about each, and who was notified of it.
import { useState } from 'preact/hooks';
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { EmptyState, FailureNotice, Loading } from '../parts/notice.js';
import { change, type OpsAlert, type OpsDelivery, type OpsRule, pathOf, read } from './ops-api.js';
import { ruleText } from './rule-words.js';
import { Badge, Head, Seconds, shortNumber, Table } from './show-values.js';
import { doAndReport } from './use-task.js';

const everyMs = 5000;

/** The firing alerts of a cluster. */
export function FiringAlerts({
  cluster,
  rules,
}: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
}) {
  const [explained, setExplained] = useState<OpsAlert>();
  const path = pathOf(cluster, 'alerts');
  const { value, failure, reload } = useLoaded(path, (signal) => read<readonly OpsAlert[]>(path, signal), {
    everyMs,
  });
  if (failure !== undefined) return <FailureNotice failure={failure} onRetry={reload} />;
  if (value === undefined) return <Loading />;
  if (value.length === 0)
    return (
      <EmptyState icon="check" title="No alert is firing">
        {rules.length === 0
          ? 'There are no rules yet: create one under Rules.'
          : 'All conditions of the rules are fine.'}
      </EmptyState>
    );
  return (
    <>
      <Table label="Firing alerts">
        <Head names={['Alert', 'Level', 'State', 'Value', 'Since', '']} />
        <tbody>
          {value.map((alert) => (
            <AlertRow
              key={alert.id}
              cluster={cluster}
              alert={alert}
              rule={rules.find(({ id }) => id === alert.alert_rule_id)}
              onChange={reload}
              onExplain={() => setExplained(alert)}
            />
          ))}
        </tbody>
      </Table>
      {explained !== undefined && (
        <Notices cluster={cluster} alert={explained} onClose={() => setExplained(undefined)} />
      )}
    </>
  );
}

function AlertRow(props: {
  readonly cluster: string;
  readonly alert: OpsAlert;
  readonly rule: OpsRule | undefined;
  readonly onChange: () => void;
  readonly onExplain: () => void;
}) {
  const { cluster, alert, rule, onChange, onExplain } = props;
  const send = (done: string, name: string, body?: object) =>
    void doAndReport(done, () => change('POST', pathOf(cluster, 'alerts', alert.id, name), body), onChange);
  return (
    <tr>
      <td class="wide-cell">
        {rule === undefined ? 'rule' : ruleText(rule)}
        <br />
        <span class="muted">{whereText(alert)}</span>
      </td>
      <td>
        <Badge word={alert.level} />
      </td>
      <td>
        <Badge word={alert.state} />
      </td>
      <td class="number">{shortNumber(alert.current_value)}</td>
      <td class="nowrap">
        <Seconds at={alert.first_fired} isRelative />
      </td>
      <td class="end">
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
          <Button kind="quiet" onPress={onExplain}>
            Why was I not notified?
          </Button>
        </div>
      </td>
    </tr>
  );
}

function whereText({ node, table, device, dc }: OpsAlert): string {
  const where = [table ?? device, node === '' ? 'the whole cluster' : node, dc];
  return where.filter((text) => text !== null && text !== '').join(' · ');
}

interface NoticeOfChannel {
  readonly channel_id: string;
  readonly channel: string;
  readonly state: string;
  readonly stage: string | null;
  readonly reason: string;
  readonly last: OpsDelivery | null;
}

function Notices(props: {
  readonly cluster: string;
  readonly alert: OpsAlert;
  readonly onClose: () => void;
}) {
  const { cluster, alert, onClose } = props;
  const path = pathOf(cluster, 'alerts', alert.id, 'notices');
  const { value, failure, reload } = useLoaded(
    path,
    (signal) => read<readonly NoticeOfChannel[]>(path, signal),
    { everyMs },
  );
  return (
    <Dialog title="Who was notified of this alert" isWide onClose={onClose}>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {value === undefined && failure === undefined && <Loading />}
      {value?.length === 0 && (
        <EmptyState icon="notifications" title="There are no channels">
          Nobody is notified of alerts of this cluster: add a channel under Notifications.
        </EmptyState>
      )}
      {value !== undefined && value.length > 0 && (
        <Table label="Channels">
          <Head names={['Channel', 'State', 'Reason', 'Last delivery']} />
          <tbody>
            {value.map(({ channel_id: id, channel, state, stage, reason, last }) => (
              <tr key={id}>
                <td>{channel}</td>
                <td>
                  <Badge word={state} />
                </td>
                <td class="wide-cell">
                  {stage !== null && <code>{stage}</code>} {reason}
                </td>
                <td>
                  {last === null ? (
                    <span class="muted">none</span>
                  ) : (
                    <>
                      <Badge word={last.outcome} /> <Seconds at={Number(last.time) / 1e6} isRelative />
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Dialog>
  );
}
