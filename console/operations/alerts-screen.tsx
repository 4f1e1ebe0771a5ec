// The Alerts screen: what fires, the rules, the history, the silences.
import { useState } from 'preact/hooks';
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { ConfirmDialog, Dialog } from '../parts/dialog.js';
import { EmptyState, FailureNotice, Loading } from '../parts/notice.js';
import { Tabs, tabPanelId } from '../parts/tabs.js';
import { showToast } from '../state/toasts.js';
import { changeQuery, place } from '../state/url-state.js';
import { ClusterChoice, chosenCluster } from './cluster-choice.js';
import { EventTable } from './events-screen.js';
import {
  change,
  type OpsAlert,
  type OpsDelivery,
  type OpsEvent,
  type OpsRule,
  pathOf,
  read,
} from './ops-api.js';
import { RuleDialog } from './rule-dialog.js';
import { ruleText } from './rule-words.js';
import { Badge, Head, Seconds, shortNumber, Table } from './show-values.js';

const everyMs = 5000;
const tabs = [
  { id: 'firing', label: 'Firing' },
  { id: 'rules', label: 'Rules' },
  { id: 'history', label: 'History' },
  { id: 'silences', label: 'Silences' },
] as const;

/** The Alerts screen. */
export function AlertsScreen() {
  const cluster = chosenCluster();
  const tab = place.value.query['tab'] ?? 'firing';
  const rules = useLoaded(
    `${cluster}/rules`,
    (signal) => read<readonly OpsRule[]>(pathOf(cluster, 'alert-rules'), signal),
    { everyMs: everyMs * 4 },
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>Alerts</h1>
        <ClusterChoice />
      </header>
      <Tabs
        label="Alerts"
        tabs={tabs}
        chosen={tab}
        onChoose={(id) => changeQuery({ tab: id === 'firing' ? undefined : id }, true)}
      />
      <div id={tabPanelId} role="tabpanel" class="form">
        {rules.failure !== undefined && <FailureNotice failure={rules.failure} onRetry={rules.reload} />}
        {tab === 'firing' && <Firing cluster={cluster} rules={rules.value ?? []} />}
        {tab === 'rules' && <Rules cluster={cluster} rules={rules.value} onChange={rules.reload} />}
        {tab === 'history' && <History cluster={cluster} />}
        {tab === 'silences' && <Silences cluster={cluster} rules={rules.value ?? []} />}
      </div>
    </div>
  );
}

function Firing({ cluster, rules }: { readonly cluster: string; readonly rules: readonly OpsRule[] }) {
  const [explained, setExplained] = useState<OpsAlert>();
  const { value, failure, reload } = useLoaded(
    `${cluster}/alerts`,
    (signal) => read<readonly OpsAlert[]>(pathOf(cluster, 'alerts'), signal),
    { everyMs },
  );
  const act = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
      showToast(what);
      reload();
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error), 'failed');
    }
  };
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
          {value.map((alert) => {
            const rule = rules.find(({ id }) => id === alert.alert_rule_id);
            const path = (...parts: string[]) => pathOf(cluster, 'alerts', alert.id, ...parts);
            return (
              <tr key={alert.id}>
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
                      <Button onPress={() => void act('Acknowledged', () => change('POST', path('ack')))}>
                        Acknowledge
                      </Button>
                    )}
                    {mayChange() && (
                      <Button
                        label="Acknowledges the alert and holds notices of its rule on this node for an hour"
                        onPress={() =>
                          void act('Silenced for an hour', () =>
                            change('POST', path('silence'), { minutes: 60 }),
                          )
                        }
                      >
                        Silence 1 h
                      </Button>
                    )}
                    <Button kind="quiet" onPress={() => setExplained(alert)}>
                      Why was I not notified?
                    </Button>
                  </div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {explained !== undefined && (
        <Notices cluster={cluster} alert={explained} onClose={() => setExplained(undefined)} />
      )}
    </>
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

function Rules(props: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[] | undefined;
  readonly onChange: () => void;
}) {
  const { cluster, rules, onChange } = props;
  const wanted = place.value.query['new'];
  const [edited, setEdited] = useState<OpsRule | 'new' | undefined>(wanted === undefined ? undefined : 'new');
  const [removed, setRemoved] = useState<OpsRule>();
  const close = () => {
    setEdited(undefined);
    changeQuery({ new: undefined });
  };
  const setEnabled = async (rule: OpsRule, enabled: 0 | 1) => {
    try {
      await change('PUT', pathOf(cluster, 'alert-rules', rule.id), { enabled });
      showToast(enabled === 1 ? 'The rule is enabled' : 'The rule is disabled');
      onChange();
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error), 'failed');
    }
  };
  if (rules === undefined) return <Loading />;
  return (
    <>
      {mayChange() && (
        <div class="button-row">
          <Button kind="primary" icon="plus" onPress={() => setEdited('new')}>
            New rule
          </Button>
        </div>
      )}
      {rules.length === 0 && (
        <EmptyState icon="alerts" title="There are no rules">
          A rule fires an alert when a metric passes a threshold, or when a node is down.
        </EmptyState>
      )}
      {rules.length > 0 && (
        <Table label="Rules">
          <Head names={['Rule', 'Level', 'Repeat', 'State', '']} />
          <tbody>
            {rules.map((rule) => (
              <tr key={rule.id}>
                <td class="wide-cell">{ruleText(rule)}</td>
                <td>
                  <Badge word={rule.level} />
                </td>
                <td class="nowrap">
                  {rule.notify_interval === 0 ? 'once' : `every ${rule.notify_interval} min`}
                </td>
                <td>
                  <span class={rule.enabled === 1 ? 'badge good' : 'badge'}>
                    {rule.enabled === 1 ? 'enabled' : 'disabled'}
                  </span>
                </td>
                <td class="end">
                  {mayChange() && (
                    <div class="button-row end-row">
                      <Button onPress={() => void setEnabled(rule, rule.enabled === 1 ? 0 : 1)}>
                        {rule.enabled === 1 ? 'Disable' : 'Enable'}
                      </Button>
                      <Button icon="edit" label="Change the rule" onPress={() => setEdited(rule)} />
                      <Button icon="trash" label="Delete the rule" onPress={() => setRemoved(rule)} />
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {edited !== undefined && (
        <RuleDialog
          cluster={cluster}
          rule={edited === 'new' ? undefined : edited}
          metric={wanted}
          onClose={close}
          onDone={() => {
            close();
            onChange();
          }}
        />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title="Delete the rule"
          action="Delete"
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await change('DELETE', pathOf(cluster, 'alert-rules', removed.id));
            setRemoved(undefined);
            showToast('The rule is deleted');
            onChange();
          }}
        >
          <p>{ruleText(removed)}</p>
          <p>Its alerts clear, and channels that were notified of them get their end.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const historyPages = 10;
const historyPage = 1000;
const wantedInHistory = 100;

/** The newest events about alerts. */
async function readHistory(cluster: string, signal: AbortSignal): Promise<readonly OpsEvent[]> {
  const found: OpsEvent[] = [];
  let from = '';
  for (let page = 0; page < historyPages && found.length < wantedInHistory; page += 1) {
    const path = `${pathOf(cluster, 'events')}?count=${historyPage}${from}`;
    const events = await read<readonly OpsEvent[]>(path, signal);
    found.push(...events.filter(({ action }) => action >= 1000 && action <= 1002));
    const last = events.at(-1);
    if (last === undefined || events.length < historyPage) break;
    from = `&timestamp=${BigInt(last.time) - 1n}`;
  }
  return found;
}

function History({ cluster }: { readonly cluster: string }) {
  const { value, failure, reload } = useLoaded(
    `${cluster}/history`,
    (signal) => readHistory(cluster, signal),
    {
      everyMs: everyMs * 4,
    },
  );
  if (failure !== undefined) return <FailureNotice failure={failure} onRetry={reload} />;
  if (value === undefined) return <Loading />;
  if (value.length === 0)
    return (
      <EmptyState icon="alerts" title="No alert has fired yet">
        When an alert fires, clears or is acknowledged, it is listed here.
      </EmptyState>
    );
  return <EventTable events={value} />;
}

interface OpsSilence {
  readonly id: string;
  readonly matchers: Readonly<Record<string, string>>;
  readonly start: number;
  readonly end: number;
  readonly author: string;
  readonly comment: string;
  readonly state: string;
}

function Silences({ cluster, rules }: { readonly cluster: string; readonly rules: readonly OpsRule[] }) {
  const path = pathOf(cluster, 'silences');
  const { value, failure, reload } = useLoaded(path, (signal) => read<readonly OpsSilence[]>(path, signal), {
    everyMs: everyMs * 2,
  });
  const end = async (id: string) => {
    try {
      await change('DELETE', pathOf(cluster, 'silences', id));
      showToast('The silence has ended');
      reload();
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error), 'failed');
    }
  };
  if (failure !== undefined) return <FailureNotice failure={failure} onRetry={reload} />;
  if (value === undefined) return <Loading />;
  if (value.length === 0)
    return (
      <EmptyState icon="notifications" title="There are no silences">
        Silence a firing alert to hold its notices for some time.
      </EmptyState>
    );
  const matcherText = ({ rule, ...rest }: OpsSilence['matchers']) => {
    const known = rules.find(({ id }) => id === rule);
    const words = known === undefined ? (rule ?? '') : ruleText(known);
    return [words, ...Object.entries(rest).map(([name, text]) => `${name} ${text}`)]
      .filter(Boolean)
      .join(' · ');
  };
  return (
    <Table label="Silences">
      <Head names={['What', 'State', 'From', 'To', 'By', 'Comment', '']} />
      <tbody>
        {value.map((silence) => (
          <tr key={silence.id}>
            <td class="wide-cell">{matcherText(silence.matchers)}</td>
            <td>
              <Badge word={silence.state} />
            </td>
            <td class="nowrap">
              <Seconds at={silence.start} />
            </td>
            <td class="nowrap">
              <Seconds at={silence.end} />
            </td>
            <td>{silence.author}</td>
            <td>{silence.comment}</td>
            <td class="end">
              {mayChange() && silence.state !== 'expired' && (
                <Button onPress={() => void end(silence.id)}>End now</Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
