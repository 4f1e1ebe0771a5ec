// The Alerts screen: what fires, the rules, the history, the silences.
import { useState } from 'preact/hooks';
import { alertSummaries } from '../net/alert-summary.js';
import { pathOf, useResource } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { chosenTab, Tabs, tabPanelId } from '../parts/tabs.js';
import { allClusters, changeQuery, hrefOf, opened, place } from '../state/url-state.js';
import { AlertHistory } from './alert-history.js';
import { AlertRules } from './alert-rules.js';
import { ClusterPage } from './cluster-page.js';
import { FiringAlerts } from './firing-alerts.js';
import { NoticesDialog } from './notices-dialog.js';
import type { OpsRule } from './rule-words.js';
import { SilenceDialog } from './silence-dialog.js';
import { SilenceList } from './silence-list.js';
import { idInSubject, matchersInSubject } from './silences.js';
import { UnnotifiedClusters } from './unnotified-clusters.js';

const everyMs = 20_000;
const tabs = [
  { id: 'firing', label: 'Firing' },
  { id: 'rules', label: 'Rules' },
  { id: 'history', label: 'History' },
  { id: 'silences', label: 'Silences' },
] as const;

export function AlertsScreen() {
  return <ClusterPage title="Alerts" content={Alerts} hasAll />;
}

function Alerts({ cluster }: { readonly cluster: string }) {
  const tab = chosenTab(tabs, place.value.query['tab']);
  const [changes, setChanges] = useState(0);
  const clusters =
    cluster === allClusters ? (alertSummaries.value ?? []).map((one) => one.cluster) : [cluster];
  return (
    <>
      <UnnotifiedClusters clusters={clusters} />
      <Tabs
        label="Alerts"
        tabs={tabs}
        chosen={tab}
        onChoose={(id) => changeQuery({ tab: id === 'firing' ? undefined : id, before: undefined }, true)}
      />
      <div id={tabPanelId} role="tabpanel" class="form">
        {tab === 'firing' && <FiringAlerts clusters={clusters} changes={changes} />}
        {tab !== 'firing' && cluster === allClusters && <ChooseCluster tab={tab} clusters={clusters} />}
        {tab !== 'firing' && cluster !== allClusters && (
          <OfCluster key={cluster} cluster={cluster} tab={tab} changes={changes} />
        )}
      </div>
      <OpenedOver cluster={cluster} onChange={() => setChanges((count) => count + 1)} />
    </>
  );
}

/** Rules, history and silences belong to one cluster. */
function ChooseCluster({ tab, clusters }: { readonly tab: string; readonly clusters: readonly string[] }) {
  return (
    <EmptyState icon="clusters" title="Choose a cluster">
      {clusters.map((cluster, at) => (
        <>
          {at > 0 && ' · '}
          <a key={cluster} href={hrefOf(['alerts'], { tab, cluster })}>
            {cluster}
          </a>
        </>
      ))}
    </EmptyState>
  );
}

function OfCluster(props: {
  readonly cluster: string;
  readonly tab: 'rules' | 'history' | 'silences';
  readonly changes: number;
}) {
  const { cluster, tab, changes } = props;
  const rules = useResource<readonly OpsRule[]>(pathOf(cluster, 'alert-rules'), { everyMs });
  const known = rules.value ?? [];
  return (
    <>
      {tab === 'rules' && (
        <Shown loaded={rules}>
          {(value) => <AlertRules cluster={cluster} rules={value} onChange={rules.reload} />}
        </Shown>
      )}
      {tab === 'history' && <AlertHistory cluster={cluster} rules={known} />}
      {tab === 'silences' && <SilenceList cluster={cluster} rules={known} changes={changes} />}
    </>
  );
}

/** An alert or a silence that the address says is open; `cluster/…` where the list has several clusters. */
function OpenedOver(props: { readonly cluster: string; readonly onChange: () => void }) {
  const over = opened.value;
  if (over === undefined) return null;
  const [, before, rest] = /^([a-z0-9][a-z0-9_-]*)\/(.*)$/.exec(over.subject) ?? [];
  const cluster = before ?? (props.cluster === allClusters ? 'local' : props.cluster);
  const subject = rest ?? over.subject;
  const close = over.close;
  if (over.kind === 'alert' || over.kind === 'notices')
    return <NoticesDialog key={over.subject} cluster={cluster} alertId={subject} onClose={close} />;
  if (over.kind !== 'silence' || !mayChange()) return null;
  return (
    <SilenceDialog
      key={over.subject}
      cluster={cluster}
      id={idInSubject(subject)}
      matchers={matchersInSubject(subject)}
      onClose={close}
      onDone={() => {
        close();
        props.onChange();
      }}
    />
  );
}
