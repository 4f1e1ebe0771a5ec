// The Notifications screen: the switch, the channels with their test, the delivery log.
import { useState } from 'preact/hooks';
import type { ChannelTrial, OpsDelivery } from '../../src/descriptions/operations-replies.js';
import { noteAlertChange } from '../net/alert-summary.js';
import { change, pathOf, useResource } from '../net/ops-api.js';
import { mayChange, serverFacts } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { ConfirmDialog, MissingDialog } from '../parts/dialog.js';
import { SelectField } from '../parts/field.js';
import { EmptyState, FailureNotice, Notice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { chosenTab, Tabs, tabPanelId } from '../parts/tabs.js';
import { Time } from '../parts/time.js';
import { showToast } from '../state/toasts.js';
import { changeQuery, hrefOf, opened, openOver, place } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { doAndReport } from '../state/use-task.js';
import { ChannelDialog, type OpsChannel } from './channel-dialog.js';
import { ClusterPage } from './cluster-page.js';
import { olderThanInAddress, PageButtons, pageSize } from './page-buttons.js';
import { Badge } from './show-values.js';
import { useLastFound } from './use-last-found.js';

const everyMs = 10_000;

const tabs = [
  { id: 'channels', label: 'Channels' },
  { id: 'log', label: 'Delivery log' },
] as const;

export function NotificationsScreen() {
  return <ClusterPage title="Notifications" content={Notifications} />;
}

function Notifications({ cluster }: { readonly cluster: string }) {
  const tab = chosenTab(tabs, place.value.query['tab']);
  return (
    <>
      <GlobalSwitch cluster={cluster} />
      <Tabs
        label="Notifications"
        tabs={tabs}
        chosen={tab}
        onChoose={(id) => changeQuery({ tab: id === 'channels' ? undefined : id, before: undefined }, true)}
      />
      <div id={tabPanelId} role="tabpanel" class="form">
        {tab === 'log' ? <DeliveryLog cluster={cluster} /> : <Channels cluster={cluster} />}
      </div>
    </>
  );
}

function GlobalSwitch({ cluster }: { readonly cluster: string }) {
  const path = pathOf(cluster, 'events', 'notifications-enabled');
  const { value, failure, reload } = useResource<boolean>(path, { everyMs });
  const set = (isOn: boolean) =>
    doAndReport(
      isOn ? 'Notifications are on' : 'Notifications are off',
      () => change('PUT', path, isOn),
      () => {
        reload();
        noteAlertChange();
      },
    );
  if (value === undefined)
    return failure === undefined ? null : <FailureNotice failure={failure} onRetry={reload} />;
  if (value)
    return mayChange() ? (
      <div class="button-row">
        <span class="muted">Notifications of this cluster are on.</span>
        <Button onPress={() => void set(false)}>Switch off</Button>
      </div>
    ) : null;
  return (
    <Notice kind="warning" title="Notifications of this cluster are off.">
      <p>Alerts are evaluated and listed, and nobody is notified of them.</p>
      {mayChange() && (
        <p class="notice-foot">
          <Button onPress={() => void set(true)}>Switch on</Button>
        </p>
      )}
    </Notice>
  );
}

/** Which address links in notices have. */
function LinkNote() {
  if (serverFacts.value === undefined) return null;
  const { consoleUrl } = serverFacts.value;
  if (consoleUrl !== '')
    return (
      <p class="muted">
        Notices link to <code>{consoleUrl}</code>.
      </p>
    );
  return (
    <p class="muted">
      Notices have no link to this console: start the server with <code>--console-url</code> and the address
      that people use.
    </p>
  );
}

function useChannels(cluster: string) {
  const path = pathOf(cluster, 'notification-channels');
  return useResource<readonly OpsChannel[]>(path, { everyMs });
}

function Channels({ cluster }: { readonly cluster: string }) {
  const channels = useChannels(cluster);
  const [removed, setRemoved] = useEntryState<OpsChannel>();
  const add = mayChange() && (
    <Button kind="primary" icon="plus" onPress={() => openOver('new-channel')}>
      New channel
    </Button>
  );
  return (
    <>
      <Shown loaded={channels}>
        {(value) =>
          value.length === 0 ? (
            <EmptyState icon="notifications" title="Nobody is notified yet" actions={add}>
              A channel sends alerts by mail, to a chat, to PagerDuty or to any program with a webhook.
            </EmptyState>
          ) : (
            <>
              <div class="button-row">{add}</div>
              <LinkNote />
              <ChannelTable cluster={cluster} channels={value} onRemove={setRemoved} />
            </>
          )
        }
      </Shown>
      {channels.value !== undefined && mayChange() && (
        <OpenedChannel
          cluster={cluster}
          channels={channels.value}
          onChange={() => {
            channels.reload();
            noteAlertChange();
          }}
        />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title="Remove the channel"
          action="Remove"
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await change('DELETE', pathOf(cluster, 'notification-channels', removed.id));
            setRemoved(undefined);
            showToast('The channel is removed');
            channels.reload();
            noteAlertChange();
          }}
        >
          <p>
            Notices that wait for {removed.type} {removed.name} are dropped.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The form that the address says is open: of a channel, or of a new one. */
function OpenedChannel(props: {
  readonly cluster: string;
  readonly channels: readonly OpsChannel[];
  readonly onChange: () => void;
}) {
  const { cluster, channels, onChange } = props;
  const over = opened.value;
  const channel = useLastFound(channels, over?.kind === 'channel' ? over.subject : '');
  if (over?.kind !== 'channel' && over?.kind !== 'new-channel') return null;
  const { kind, subject, close } = over;
  if (kind === 'channel' && channel === undefined)
    return (
      <MissingDialog title="This channel is not there" onClose={close}>
        It may have been removed since this link was made.
      </MissingDialog>
    );
  return (
    <ChannelDialog
      key={`${kind} ${subject}`}
      cluster={cluster}
      channel={channel}
      onClose={close}
      onDone={() => {
        close();
        onChange();
      }}
    />
  );
}

function ChannelTable(props: {
  readonly cluster: string;
  readonly channels: readonly OpsChannel[];
  readonly onRemove: (channel: OpsChannel) => void;
}) {
  const { cluster, channels, onRemove } = props;
  const [trials, setTrials] = useState<Readonly<Record<string, ChannelTrial | 'running'>>>({});
  const test = async ({ id }: OpsChannel) => {
    const note = (trial: ChannelTrial | 'running') => setTrials((known) => ({ ...known, [id]: trial }));
    note('running');
    try {
      note(await change<ChannelTrial>('POST', pathOf(cluster, 'notification-channels', id, 'test')));
    } catch (error) {
      note({ outcome: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  };
  const columns: readonly TableColumn<OpsChannel>[] = [
    {
      title: 'Channel',
      cell: ({ name }) => (name === '' ? <span class="muted">without a name</span> : name),
    },
    { title: 'Type', cell: ({ type }) => type },
    {
      title: 'To',
      kind: 'wide',
      cell: ({ url, to, host }) => url ?? [to?.join(', '), host].filter(Boolean).join(' · '),
    },
    {
      title: 'Levels',
      isNamed: true,
      cell: (channel) => (channel.levels.length === 0 ? 'all' : channel.levels.join(', ')),
    },
    { title: 'Test', kind: 'wide', isNamed: true, cell: ({ id }) => <TrialResult trial={trials[id]} /> },
    {
      kind: 'buttons',
      cell: (channel) =>
        mayChange() && (
          <div class="button-row end-row">
            <Button isBusy={trials[channel.id] === 'running'} onPress={() => void test(channel)}>
              Send a test
            </Button>
            <Button icon="edit" label="Change the channel" onPress={() => openOver('channel', channel.id)} />
            <Button icon="trash" label="Remove the channel" onPress={() => onRemove(channel)} />
          </div>
        ),
    },
  ];
  return <DataTable label="Channels" columns={columns} rows={channels} keyOf={({ id }) => id} />;
}

function TrialResult({ trial }: { readonly trial: ChannelTrial | 'running' | undefined }) {
  if (trial === undefined) return <span class="muted">—</span>;
  if (trial === 'running') return <span role="status">sending…</span>;
  return (
    <span role="status">
      <Badge word={trial.outcome} /> {trial.reason}
    </span>
  );
}

function DeliveryLog({ cluster }: { readonly cluster: string }) {
  const channels = useChannels(cluster).value ?? [];
  const { query } = place.value;
  const channel = query['channel'] ?? '';
  const olderThan = olderThanInAddress();
  const ofChannel = channel === '' ? '' : `&channel_id=${encodeURIComponent(channel)}`;
  const filter = `${ofChannel}${olderThan === undefined ? '' : `&timestamp=${encodeURIComponent(olderThan)}`}`;
  const path = `${pathOf(cluster, 'notifications')}?count=${pageSize}${filter}`;
  const deliveries = useResource<readonly OpsDelivery[]>(path, { everyMs });
  return (
    <>
      <div class="form-row">
        <SelectField
          label="Channel"
          value={channel}
          choices={[
            { value: '', label: 'All channels' },
            ...channels.map(({ id, type, name }) => ({ value: id, label: `${type} ${name}` })),
          ]}
          onChange={(id) => changeQuery({ channel: id, before: undefined })}
        />
      </div>
      <Shown loaded={deliveries}>
        {(value) =>
          value.length === 0 ? (
            <NoDeliveries isPart={filter !== ''} />
          ) : (
            <DataTable
              label="Delivery log"
              columns={deliveryColumns}
              rows={value}
              keyOf={({ time }) => time}
            />
          )
        }
      </Shown>
      <PageButtons entries={deliveries.value} />
    </>
  );
}

function NoDeliveries({ isPart }: { readonly isPart: boolean }) {
  if (isPart)
    return (
      <EmptyState icon="notifications" title="No deliveries">
        No notice of the log fits the channel and the time.
      </EmptyState>
    );
  return (
    <EmptyState icon="notifications" title="Nothing was delivered yet">
      Each notice that is sent, held or dropped is listed here with the reason.
    </EmptyState>
  );
}

/** Entries of earlier versions have only the id. */
function DeliveryRule({ rule, alert_rule_id: id }: OpsDelivery) {
  if (id === null) return <>—</>;
  const { cluster } = place.value.query;
  return <a href={hrefOf(['alerts'], { tab: 'rules', rule: id, cluster })}>{rule ?? id}</a>;
}

const deliveryColumns: readonly TableColumn<OpsDelivery>[] = [
  { title: 'Time', kind: 'line', cell: ({ time }) => <Time atMs={Number(time) / 1000} /> },
  { title: 'Outcome', cell: ({ outcome }) => <Badge word={outcome} /> },
  { title: 'Channel', isNamed: true, cell: ({ channel }) => channel },
  { title: 'Notice', cell: ({ status }) => status },
  { title: 'Rule', kind: 'text', isNamed: true, cell: (entry) => <DeliveryRule {...entry} /> },
  { title: 'Node', isNamed: true, cell: ({ node }) => node ?? '—' },
  { title: 'Reason', kind: 'wide', cell: ({ reason }) => reason },
  { title: 'Attempts', kind: 'number', isNamed: true, cell: ({ attempts }) => attempts },
];
