// The Alerts screen: what fires, the rules, the history, the silences.
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { chosenTab, Tabs, tabPanelId } from '../parts/tabs.js';
import { changeQuery, opened, place } from '../state/url-state.js';
import { doAndReport } from '../state/use-task.js';
import { AlertHistory } from './alert-history.js';
import { AlertRules } from './alert-rules.js';
import { ClusterPage } from './cluster-page.js';
import { FiringAlerts } from './firing-alerts.js';
import { NoticesDialog } from './notices-dialog.js';
import { change, type OpsRule, pathOf, read } from './ops-api.js';
import { ruleText } from './rule-words.js';
import { Badge, Seconds } from './show-values.js';

const everyMs = 5000;
const tabs = [
  { id: 'firing', label: 'Firing' },
  { id: 'rules', label: 'Rules' },
  { id: 'history', label: 'History' },
  { id: 'silences', label: 'Silences' },
] as const;

/** The Alerts screen. */
export function AlertsScreen() {
  return <ClusterPage title="Alerts" content={Alerts} />;
}

function Alerts({ cluster }: { readonly cluster: string }) {
  const tab = chosenTab(tabs, place.value.query['tab']);
  const over = opened.value;
  const rules = useLoaded(
    `${cluster}/rules`,
    (signal) => read<readonly OpsRule[]>(pathOf(cluster, 'alert-rules'), signal),
    { everyMs: everyMs * 4 },
  );
  return (
    <>
      <Tabs
        label="Alerts"
        tabs={tabs}
        chosen={tab}
        onChoose={(id) => changeQuery({ tab: id === 'firing' ? undefined : id, before: undefined }, true)}
      />
      <div id={tabPanelId} role="tabpanel" class="form">
        {tab === 'firing' && <FiringAlerts cluster={cluster} rules={rules.value ?? []} />}
        {tab === 'rules' && (
          <Shown loaded={rules}>
            {(value) => <AlertRules cluster={cluster} rules={value} onChange={rules.reload} />}
          </Shown>
        )}
        {tab === 'history' && <AlertHistory cluster={cluster} rules={rules.value ?? []} />}
        {tab === 'silences' && <Silences cluster={cluster} rules={rules.value ?? []} />}
      </div>
      {over?.kind === 'notices' && (
        <NoticesDialog key={over.subject} cluster={cluster} alertId={over.subject} onClose={over.close} />
      )}
    </>
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
  const silences = useLoaded(path, (signal) => read<readonly OpsSilence[]>(path, signal), {
    everyMs: everyMs * 2,
  });
  const end = (id: string) =>
    void doAndReport(
      'The silence has ended',
      () => change('DELETE', pathOf(cluster, 'silences', id)),
      silences.reload,
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
  return (
    <Shown loaded={silences}>
      {(value) =>
        value.length === 0 ? (
          <EmptyState icon="notifications" title="There are no silences">
            Silence a firing alert to hold its notices for some time.
          </EmptyState>
        ) : (
          <DataTable label="Silences" columns={columns} rows={value} keyOf={({ id }) => id} />
        )
      }
    </Shown>
  );
}
