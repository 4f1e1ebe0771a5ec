// What alerts did in the past: when each fired and cleared, by which rule, and who was notified.
import type { OpsAlertEvent } from '../../src/descriptions/operations-replies.js';
import { pathOf, useResource } from '../net/ops-api.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { Time } from '../parts/time.js';
import { openOver } from '../state/url-state.js';
import { olderThanInAddress, PageButtons, pageSize } from './page-buttons.js';
import { RuleLink } from './rule-link.js';
import type { OpsRule } from './rule-words.js';
import { Badge } from './show-values.js';

const everyMs = 20_000;

/** The history, a page at a time. */
export function AlertHistory({
  cluster,
  rules,
}: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
}) {
  const olderThan = olderThanInAddress();
  const from = olderThan === undefined ? '' : `&timestamp=${encodeURIComponent(olderThan)}`;
  const path = `${pathOf(cluster, 'alerts', 'history')}?count=${pageSize}${from}`;
  const entries = useResource<readonly OpsAlertEvent[]>(path, { everyMs });
  const columns = columnsFor(cluster, rules);
  return (
    <>
      <Shown loaded={entries}>
        {(value) =>
          value.length === 0 ? (
            <NoAlerts isPart={olderThan !== undefined} />
          ) : (
            <DataTable label="History of alerts" columns={columns} rows={value} keyOf={({ time }) => time} />
          )
        }
      </Shown>
      <PageButtons entries={entries.value} />
    </>
  );
}

function NoAlerts({ isPart }: { readonly isPart: boolean }) {
  return (
    <EmptyState icon="alerts" title={isPart ? 'No older alerts' : 'No alert has fired yet'}>
      {isPart ? 'No alert fired or cleared before this time.' : 'Alerts that fire and clear are listed here.'}
    </EmptyState>
  );
}

function columnsFor(cluster: string, rules: readonly OpsRule[]): readonly TableColumn<OpsAlertEvent>[] {
  return [
    { title: 'Time', kind: 'line', cell: ({ time }) => <Time atMs={Number(time) / 1000} /> },
    { title: 'Level', cell: (entry) => <Badge word={entry.level_str} /> },
    { title: 'Message', kind: 'wide', cell: ({ message }) => message },
    {
      title: 'Rule',
      kind: 'text',
      isNamed: true,
      cell: ({ alert_rule_id: id }) => <RuleLink cluster={cluster} id={id} rules={rules} />,
    },
    {
      title: 'Alert',
      isNamed: true,
      cell: ({ alert_id: id }) => <code title={id}>{id.slice(0, 8)}</code>,
    },
    { title: 'By', isNamed: true, cell: (entry) => (entry.user === '' ? entry.api_source_ip : entry.user) },
    {
      kind: 'buttons',
      cell: ({ alert_id: id }) => (
        <Button kind="quiet" onPress={() => openOver('notices', id)}>
          Who was notified?
        </Button>
      ),
    },
  ];
}
