// The Overview screen: nodes, rates and latencies now, and what fires.
import type { OpsEvent, OpsNode, SilenceMatchers } from '../../src/descriptions/operations-replies.js';
import { alertSummaries } from '../net/alert-summary.js';
import { pathOf, useResource } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { LinkButton } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { clusterQuery, hrefOf, partText } from '../state/url-state.js';
import { Chart, type ChartLine } from './chart.js';
import { ClusterPage } from './cluster-page.js';
import { EventTable } from './event-table.js';
import { legendBackground } from './line-looks.js';
import { readFittedLines } from './metric-lines.js';
import { Badge, bytesText, roughNumber, Seconds, unitText, withUnit } from './show-values.js';
import { matchersSubject } from './silences.js';
import { UnnotifiedClusters } from './unnotified-clusters.js';

const everyMs = 10_000;
const hourS = 3600;
/** Values are stored each minute, and can be a little late. */
const freshS = 180;

interface TileText {
  readonly metric: string;
  readonly title: string;
  readonly unit: string;
  /** The screen shows it only with values, because not every cluster provides it. */
  readonly isOptional?: boolean;
}

const tiles: readonly TileText[] = [
  { metric: 'read-ops', title: 'Reads', unit: '1/s' },
  { metric: 'write-ops', title: 'Writes', unit: '1/s' },
  { metric: 'read-histogram', title: 'Read latency', unit: 'ms' },
  { metric: 'write-histogram', title: 'Write latency', unit: 'ms' },
  { metric: 'data-load', title: 'Data on disk', unit: 'bytes', isOptional: true },
  { metric: 'os-memory-used', title: 'Memory used', unit: 'MiB', isOptional: true },
  { metric: 'os-cpu-user', title: 'Processor, user', unit: '%', isOptional: true },
  { metric: 'os-load', title: 'Load average', unit: 'number', isOptional: true },
];

export function OverviewScreen() {
  return <ClusterPage title="Overview" content={Overview} />;
}

function Overview({ cluster }: { readonly cluster: string }) {
  return (
    <>
      <UnnotifiedClusters clusters={[cluster]} />
      <FiringAlerts cluster={cluster} />
      <div class="tiles">
        {tiles.map((tile) => (
          <Tile key={tile.metric} cluster={cluster} {...tile} />
        ))}
      </div>
      <Nodes cluster={cluster} />
      <LatestEvents cluster={cluster} />
    </>
  );
}

function FiringAlerts({ cluster }: { readonly cluster: string }) {
  const count = alertSummaries.value?.find((one) => one.cluster === cluster)?.firing ?? 0;
  if (count === 0) return null;
  const words = `${counted(count, 'alert')} ${count === 1 ? 'is' : 'are'} firing`;
  return (
    <Notice
      kind="warning"
      title={words}
      action={
        <LinkButton href={hrefOf(['alerts'], clusterQuery(cluster))} icon="alerts">
          Show the alerts
        </LinkButton>
      }
    />
  );
}

function Tile({ cluster, metric, title, unit, isOptional = false }: TileText & { readonly cluster: string }) {
  const { value, failure, reload } = useLoaded(
    `${cluster}/${metric}`,
    (signal) => readFittedLines({ cluster, metric, nodes: [] }, hourS, signal),
    { everyMs },
  );
  const lines = latencyLines(value?.lines ?? []);
  const [first] = lines;
  const [atS, newest] = first?.points.at(-1) ?? [];
  if (isOptional && newest === undefined) return null;
  const which = lines.length > 1 ? ` · ${first?.name}` : '';
  return (
    <section class="card tile" aria-label={title}>
      <header class="page-head">
        <h2>{title}</h2>
        <a href={hrefOf(['metrics'], { metric, ...clusterQuery(cluster) })}>
          Chart<span class="hidden-label"> of {title}</span>
        </a>
      </header>
      <p class="tile-value">
        <strong>{newest === undefined ? '—' : figureOf(newest, unit)}</strong>{' '}
        <span class="muted">
          {`${unitText(unit)}${which}`} <Age atS={atS} toS={value?.toS} />
        </span>
      </p>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {value !== undefined && newest !== undefined && (
        <Chart label={title} {...value} lines={lines} unit={unit} size="small" />
      )}
      {newest !== undefined && lines.length > 1 && <Legend lines={lines} unit={unit} />}
      {value !== undefined && newest === undefined && (
        <p class="muted">No values in the last hour. They are stored each minute.</p>
      )}
    </section>
  );
}

/** How old a value is that is not of the last minutes: without reads there are no latencies of reads. */
function Age({ atS, toS }: { readonly atS: number | undefined; readonly toS: number | undefined }) {
  if (atS === undefined || toS === undefined || toS - atS < freshS) return null;
  return (
    <>
      {'· '}
      <Seconds at={atS} isRelative />
    </>
  );
}

/** The looks of the lines, and their newest values. */
function Legend({ lines, unit }: { readonly lines: readonly ChartLine[]; readonly unit: string }) {
  return (
    <ul class="legend-row">
      {lines.map(({ name, points }, at) => (
        <li key={name}>
          <span class="swatch" style={{ background: legendBackground(at) }} />
          {name} <span class="muted">{withUnit(points.at(-1)?.[1] ?? 0, unit)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Writes a value, with its unit only where the words beside it do not name the unit. */
function figureOf(value: number, unit: string): string {
  return unitText(unit) === '' ? withUnit(value, unit) : roughNumber(value);
}

/** The percentiles of distributions that people watch. */
function latencyLines(lines: readonly ChartLine[]): readonly ChartLine[] {
  const percentiles = lines.filter(({ name }) => /^P(50|99) /.test(name));
  if (percentiles.length === 0) return lines.map((one) => ({ ...one, name: 'all nodes' }));
  return percentiles
    .map(({ name, points }) => ({ name: name.split(' ')[0] ?? name, points }))
    .sort((left, right) => (left.name < right.name ? 1 : -1));
}

const latestCount = 6;

function LatestEvents({ cluster }: { readonly cluster: string }) {
  const events = useResource<readonly OpsEvent[]>(`${pathOf(cluster, 'events')}?count=${latestCount}`, {
    everyMs,
  });
  return (
    <section class="card">
      <header class="page-head">
        <h2>Latest events</h2>
        <a href={hrefOf(['events'], clusterQuery(cluster))}>All events</a>
      </header>
      <Shown loaded={events}>
        {(value) =>
          value.length === 0 ? <p class="muted">No events yet.</p> : <EventTable events={value} />
        }
      </Shown>
    </section>
  );
}

/** Opens the form of a silence on the Alerts screen. */
function SilenceLink(props: { readonly cluster: string; readonly matchers: SilenceMatchers }) {
  if (!mayChange()) return null;
  const open = partText({ kind: 'silence', subject: matchersSubject(props.matchers) });
  return <a href={hrefOf(['alerts'], { tab: 'silences', open, ...clusterQuery(props.cluster) })}>Silence</a>;
}

function Nodes({ cluster }: { readonly cluster: string }) {
  const nodes = useResource<readonly OpsNode[]>(pathOf(cluster, 'nodes'), { everyMs });
  const columns: readonly TableColumn<OpsNode>[] = [
    {
      title: 'Node',
      cell: ({ node_ip: ip, hostname }) => (
        <>
          <a href={hrefOf(['metrics'], { node: ip, ...clusterQuery(cluster) })}>{ip}</a>{' '}
          <span class="muted">{hostname}</span>
        </>
      ),
    },
    { title: 'State', cell: ({ state }) => <Badge word={state} /> },
    { title: 'Data center', isNamed: true, cell: ({ dc }) => dc ?? '—' },
    { title: 'Rack', isNamed: true, cell: ({ rack }) => rack ?? '—' },
    { title: 'Data', kind: 'line', isNamed: true, cell: ({ load }) => bytesText(load) },
    {
      title: 'Last seen',
      isNamed: true,
      cell: ({ last_seen: at }) => <Seconds at={at} isRelative />,
    },
    { title: 'Version', isNamed: true, cell: ({ version }) => version ?? '—' },
    { title: 'System', isNamed: true, cell: ({ os }) => os ?? '—' },
    { kind: 'buttons', cell: ({ node_ip: node }) => <SilenceLink cluster={cluster} matchers={{ node }} /> },
  ];
  return (
    <section class="card">
      <h2>Nodes</h2>
      <Shown loaded={nodes}>
        {(value) => (
          <DataTable label="Nodes" columns={columns} rows={value} keyOf={({ node_ip: ip }) => ip} />
        )}
      </Shown>
    </section>
  );
}
