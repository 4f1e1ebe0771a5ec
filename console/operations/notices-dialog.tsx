// Who was notified of an alert, and why others were not.
import { useLoaded } from '../net/use-loaded.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { Dialog } from '../parts/dialog.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { type OpsDelivery, pathOf, read } from './ops-api.js';
import { Badge, Seconds } from './show-values.js';

const everyMs = 5000;

interface NoticeOfChannel {
  readonly channel_id: string;
  readonly channel: string;
  readonly state: string;
  readonly stage: string | null;
  readonly reason: string;
  readonly last: OpsDelivery | null;
}

const columns: readonly TableColumn<NoticeOfChannel>[] = [
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

/** For each channel what it got of an alert, which may be over. */
export function NoticesDialog(props: {
  readonly cluster: string;
  readonly alertId: string;
  readonly onClose: () => void;
}) {
  const { cluster, alertId, onClose } = props;
  const path = pathOf(cluster, 'alerts', alertId, 'notices');
  const notices = useLoaded(path, (signal) => read<readonly NoticeOfChannel[]>(path, signal), { everyMs });
  return (
    <Dialog title="Who was notified of this alert" isWide onClose={onClose}>
      <p class="muted">
        Alert <code>{alertId}</code>
      </p>
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
