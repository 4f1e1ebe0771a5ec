// The Alerts screen: what fires, the rules, the history, the silences.
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState, FailureNotice, Loading } from '../parts/notice.js';
import { Tabs, tabPanelId } from '../parts/tabs.js';
import { changeQuery, place } from '../state/url-state.js';
import { AlertHistory } from './alert-history.js';
import { AlertRules } from './alert-rules.js';
import { ClusterChoice, chosenCluster } from './cluster-choice.js';
import { FiringAlerts } from './firing-alerts.js';
import { change, type OpsRule, pathOf, read } from './ops-api.js';
import { ruleText } from './rule-words.js';
import { Badge, Seconds } from './show-values.js';
import { doAndReport } from './use-task.js';

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
        {tab === 'firing' && <FiringAlerts cluster={cluster} rules={rules.value ?? []} />}
        {tab === 'rules' && <AlertRules cluster={cluster} rules={rules.value} onChange={rules.reload} />}
        {tab === 'history' && <AlertHistory cluster={cluster} rules={rules.value ?? []} />}
        {tab === 'silences' && <Silences cluster={cluster} rules={rules.value ?? []} />}
      </div>
    </div>
  );
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
  const end = (id: string) =>
    void doAndReport(
      'The silence has ended',
      () => change('DELETE', pathOf(cluster, 'silences', id)),
      reload,
    );
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
  const columns: readonly TableColumn<OpsSilence>[] = [
    { title: 'What', kind: 'wide', cell: ({ matchers }) => matcherText(matchers) },
    { title: 'State', cell: ({ state }) => <Badge word={state} /> },
    { title: 'From', kind: 'line', isNamed: true, cell: ({ start }) => <Seconds at={start} /> },
    { title: 'To', kind: 'line', isNamed: true, cell: ({ end: at }) => <Seconds at={at} /> },
    { title: 'By', isNamed: true, cell: ({ author }) => author },
    { title: 'Comment', cell: ({ comment }) => comment },
    {
      kind: 'buttons',
      cell: ({ id, state }) =>
        mayChange() && state !== 'expired' && <Button onPress={() => end(id)}>End now</Button>,
    },
  ];
  return <DataTable label="Silences" columns={columns} rows={value} keyOf={({ id }) => id} />;
}
