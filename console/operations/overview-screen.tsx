// The Overview screen: nodes, rates and latencies now, and what fires.
import { useLoaded } from '../net/use-loaded.js';
import { LinkButton } from '../parts/button.js';
import { FailureNotice, Loading, Notice } from '../parts/notice.js';
import { hrefOf } from '../state/url-state.js';
import { Chart, type ChartLine } from './chart.js';
import { ClusterChoice, chosenCluster } from './cluster-choice.js';
import { readLines } from './metric-lines.js';
import { type OpsAlert, type OpsNode, pathOf, read } from './ops-api.js';
import { Badge, bytesText, Head, Seconds, shortNumber, Table } from './show-values.js';

const everyMs = 10_000;
const hourS = 3600;

const tiles = [
  { metric: 'read-ops', title: 'Reads', unit: 'per second' },
  { metric: 'write-ops', title: 'Writes', unit: 'per second' },
  { metric: 'read-histogram', title: 'Read latency', unit: 'ms' },
  { metric: 'write-histogram', title: 'Write latency', unit: 'ms' },
] as const;

/** The Overview screen. */
export function OverviewScreen() {
  const cluster = chosenCluster();
  return (
    <div class="page">
      <header class="page-head">
        <h1>Overview</h1>
        <ClusterChoice />
      </header>
      <FiringAlerts cluster={cluster} />
      <div class="tiles">
        {tiles.map((tile) => (
          <Tile key={tile.metric} cluster={cluster} {...tile} />
        ))}
      </div>
      <Nodes cluster={cluster} />
    </div>
  );
}

function FiringAlerts({ cluster }: { readonly cluster: string }) {
  const { value } = useLoaded(
    `${cluster}/alerts`,
    (signal) => read<readonly OpsAlert[]>(pathOf(cluster, 'alerts'), signal),
    { everyMs },
  );
  if (value === undefined || value.length === 0) return null;
  const words = value.length === 1 ? '1 alert is firing' : `${value.length} alerts are firing`;
  return (
    <Notice kind="warning" title={words}>
      <p class="notice-foot">
        <LinkButton href={hrefOf(['alerts'], clusterQuery(cluster))} icon="alerts">
          Show the alerts
        </LinkButton>
      </p>
    </Notice>
  );
}

function clusterQuery(cluster: string) {
  return { cluster: cluster === 'local' ? undefined : cluster };
}

function Tile(props: {
  readonly cluster: string;
  readonly metric: string;
  readonly title: string;
  readonly unit: string;
}) {
  const { cluster, metric, title, unit } = props;
  const { value, failure, reload } = useLoaded(
    `${cluster}/${metric}`,
    async (signal) => {
      const toS = Math.floor(Date.now() / 1000);
      const fromS = toS - hourS;
      return { fromS, toS, lines: await readLines({ cluster, metric, nodes: [], fromS, toS }, signal) };
    },
    { everyMs },
  );
  const lines = latencyLines(value?.lines ?? []);
  const newest = lines[0]?.points.at(-1)?.[1];
  return (
    <section class="card tile" aria-label={title}>
      <header class="page-head">
        <h2>{title}</h2>
        <a href={hrefOf(['metrics'], { metric, ...clusterQuery(cluster) })}>Chart</a>
      </header>
      <p class="tile-value">
        <strong>{newest === undefined ? '—' : shortNumber(newest)}</strong> <span class="muted">{unit}</span>
      </p>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {value !== undefined && (
        <Chart label={title} lines={lines} fromS={value.fromS} toS={value.toS} stepS={60} heightPx={130} />
      )}
    </section>
  );
}

/** Of distributions the percentiles that people watch. */
function latencyLines(lines: readonly ChartLine[]): readonly ChartLine[] {
  const percentiles = lines.filter(({ name }) => /^P(50|99) /.test(name));
  if (percentiles.length === 0) return lines.map((one) => ({ ...one, name: 'all nodes' }));
  return percentiles
    .map(({ name, points }) => ({ name: name.split(' ')[0] ?? name, points }))
    .sort((left, right) => (left.name < right.name ? 1 : -1));
}

function Nodes({ cluster }: { readonly cluster: string }) {
  const { value, failure, reload } = useLoaded(
    `${cluster}/nodes`,
    (signal) => read<readonly OpsNode[]>(pathOf(cluster, 'nodes'), signal),
    { everyMs },
  );
  return (
    <section class="card">
      <h2>Nodes</h2>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {value === undefined && failure === undefined && <Loading />}
      {value !== undefined && (
        <Table label="Nodes">
          <Head names={['Node', 'State', 'Data center', 'Rack', 'Data', 'Last seen', 'Version', 'System']} />
          <tbody>
            {value.map((node) => (
              <tr key={node.node_ip}>
                <td>
                  <a href={hrefOf(['metrics'], { node: node.node_ip, ...clusterQuery(cluster) })}>
                    {node.node_ip}
                  </a>{' '}
                  <span class="muted">{node.hostname}</span>
                </td>
                <td>
                  <Badge word={node.state} />
                </td>
                <td>{node.dc ?? '—'}</td>
                <td>{node.rack ?? '—'}</td>
                <td class="nowrap">{bytesText(node.load)}</td>
                <td>
                  <Seconds at={node.last_seen} isRelative />
                </td>
                <td>{node.version ?? '—'}</td>
                <td>{node.os ?? '—'}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}
