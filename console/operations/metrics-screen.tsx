// The Metrics screen: a chart of any metric, with the thresholds of rules and the events of the time.
import { useEffect, useState } from 'preact/hooks';
import type { OpsEvent, OpsMetricKey, OpsNode } from '../../src/descriptions/operations-replies.js';
import { pathOf, read, useResource } from '../net/ops-api.js';
import { type Loaded, useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { SelectField, TextField } from '../parts/field.js';
import { EmptyState, FailureNotice, Notice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { Time } from '../parts/time.js';
import { changeQuery, clusterQuery, hrefOf, partText, place } from '../state/url-state.js';
import { Chart } from './chart.js';
import { ChartRemarks } from './chart-remarks.js';
import {
  type ChartTime,
  chartTimeInAddress,
  localTimeText,
  type PastTime,
  pastProblem,
  pastQuery,
  pastText,
  rangeQuery,
  secondsOfLocalTime,
} from './chart-time.js';
import { ClusterPage } from './cluster-page.js';
import { kinds } from './kinds.js';
import {
  type LinesInRange,
  type MetricRange,
  ranges,
  readFittedLines,
  readPastLines,
} from './metric-lines.js';
import { metricChoices, metricText } from './metric-words.js';
import type { OpsRule } from './rule-words.js';
import { Badge, unitText } from './show-values.js';

const everyMs = 30_000;
const mostEvents = 200;
const mostNodes = 6;
const warning = 2;

export function MetricsScreen() {
  return <ClusterPage title="Metrics" content={Metrics} />;
}

function Metrics({ cluster }: { readonly cluster: string }) {
  const keys = useResource<readonly OpsMetricKey[]>('metric-keys');
  const { query } = place.value;
  const metric = query['metric'] ?? 'write-ops';
  const known = keys.value?.find(({ key }) => key === metric);
  return (
    <>
      {keys.failure !== undefined && <FailureNotice failure={keys.failure} onRetry={keys.reload} />}
      {keys.value !== undefined && <Choices cluster={cluster} metric={metric} keys={keys.value} />}
      {keys.value !== undefined && known === undefined && (
        <EmptyState icon="metrics" title={`There is no metric ${metric}`}>
          Choose one from the list.
        </EmptyState>
      )}
      {known !== undefined && !known.available && (
        <Notice kind="info" title="No cluster of this server provides this metric.">
          {known.source}
        </Notice>
      )}
      {known !== undefined && (
        <MetricChart cluster={cluster} known={known} also={alsoInAddress(keys.value ?? [], known)} />
      )}
    </>
  );
}

function Choices(props: {
  readonly cluster: string;
  readonly metric: string;
  readonly keys: readonly OpsMetricKey[];
}) {
  const { cluster, metric, keys } = props;
  const { query } = place.value;
  const nodes = useNodes(cluster);
  const scope = keys.find(({ key }) => key === metric)?.scope;
  const tables = useTables(scope === 'table' ? cluster : undefined);
  return (
    <div class="form-row">
      <SelectField
        label="Metric"
        value={metric}
        choices={metricChoices(keys, kinds().metricGroups)}
        onChange={(key) => changeQuery({ metric: key, also: undefined, hidden: undefined }, true)}
      />
      <SelectField
        label="Nodes"
        value={query['node'] ?? ''}
        choices={[
          { value: '', label: 'Each node' },
          { value: 'all', label: 'All combined' },
          ...(nodes.value ?? []).map(({ node_ip: ip }) => ip),
        ]}
        onChange={(node) => changeQuery({ node })}
      />
      {scope === 'table' && (
        <SelectField
          label="Table"
          value={query['table'] ?? tables.value?.[0] ?? ''}
          choices={tables.value ?? []}
          onChange={(table) => changeQuery({ table })}
        />
      )}
      <AlsoField metric={metric} keys={keys} />
      <TimeFields />
    </div>
  );
}

/** Adds metrics of the same unit and scope to the chart, which has one axis. */
function AlsoField({ metric, keys }: { readonly metric: string; readonly keys: readonly OpsMetricKey[] }) {
  const known = keys.find(({ key }) => key === metric);
  const also = alsoInAddress(keys, known);
  const others = keys.filter(
    ({ key, unit, scope, available }) =>
      available && key !== metric && unit === known?.unit && scope === known.scope && !also.includes(key),
  );
  if (others.length === 0 && also.length === 0) return null;
  const set = (names: readonly string[]) => changeQuery({ also: names.join(',') }, true);
  return (
    <>
      {also.length < mostAlso && (
        <SelectField
          label="Compare with"
          value=""
          choices={[{ value: '', label: 'another metric…' }, ...metricChoices(others, kinds().metricGroups)]}
          onChange={(key) => set([...also, key])}
        />
      )}
      {also.map((name) => (
        <div class="field" key={name}>
          <span class="label">Also {name}</span>
          <Button icon="close" onPress={() => set(also.filter((other) => other !== name))}>
            Remove
          </Button>
        </div>
      ))}
    </>
  );
}

/** Further metrics of the chart. */
const mostAlso = 4;

/** The further metrics that the address names, of the same unit and scope. */
function alsoInAddress(keys: readonly OpsMetricKey[], known: OpsMetricKey | undefined): readonly string[] {
  const names = (place.value.query['also'] ?? '').split(',');
  return [...new Set(names)]
    .filter((name) =>
      keys.some(
        ({ key, unit, scope }) =>
          key === name && key !== known?.key && unit === known?.unit && scope === known.scope,
      ),
    )
    .slice(0, mostAlso);
}

const marked = 'marked';

function TimeFields() {
  const { range, past } = chartTimeInAddress();
  const lengths = ranges.map(({ id, label }) => ({ value: id, label }));
  const choose = (id: string) => {
    const nowS = Math.floor(Date.now() / 1000);
    changeQuery(id === marked ? pastQuery(nowS - range.seconds, nowS) : rangeQuery(id));
  };
  return (
    <>
      <SelectField
        label="Time"
        value={past === undefined ? range.id : marked}
        choices={[{ value: marked, label: past === undefined ? 'from … to …' : pastText(past) }, ...lengths]}
        onChange={choose}
      />
      {past !== undefined && <PastFields {...past} />}
    </>
  );
}

/** Fields for a part of the past. They keep what is typed, and the chart changes once that is a whole time. */
function PastFields(past: PastTime) {
  const asShown = { from: localTimeText(past.fromS), to: localTimeText(past.toS), place: placeOf(past) };
  const [typed, setTyped] = useState(asShown);
  // The chart and the history change the time too: then the fields follow.
  const texts = typed.place === asShown.place ? typed : asShown;
  const problem = pastProblem(texts.from, texts.to);
  const type = (changed: { readonly from?: string; readonly to?: string }) => {
    const next = { ...texts, ...changed };
    if (pastProblem(next.from, next.to) !== undefined) return setTyped(next);
    // The inputs have no seconds: a time that nobody changed keeps its own.
    const secondsOf = (name: 'from' | 'to', atS: number) =>
      next[name] === asShown[name] ? atS : secondsOfLocalTime(next[name]);
    const query = pastQuery(secondsOf('from', past.fromS), secondsOf('to', past.toS));
    setTyped({ ...next, place: placeOf({ fromS: Number(query['from']), toS: Number(query['to']) }) });
    changeQuery(query);
  };
  const field = (name: 'from' | 'to', label: string, ownProblem: string | undefined) => (
    <TextField
      label={label}
      type="datetime-local"
      value={texts[name]}
      problem={ownProblem}
      onChange={(text) => type({ [name]: text })}
    />
  );
  return (
    <>
      {field('from', 'From', problem)}
      {field('to', 'To', undefined)}
    </>
  );
}

function placeOf({ fromS, toS }: PastTime): string {
  return `${fromS} ${toS}`;
}

function useNodes(cluster: string): Loaded<readonly OpsNode[]> {
  return useResource<readonly OpsNode[]>(pathOf(cluster, 'nodes'));
}

/** The tables of the data service; those of other clusters are named by the query. */
function useTables(cluster: string | undefined): Loaded<readonly string[]> {
  const { value, ...loaded } = useLoaded(
    cluster === undefined ? undefined : `${cluster}/tables`,
    async (signal) => {
      const toS = Math.floor(Date.now() / 1000);
      const lines = await read<Readonly<Record<string, unknown>>>(
        `${pathOf(cluster ?? 'local', 'cluster-metrics', 'all', 'cf-write-ops')}?start=${toS - 86_400}&end=${toS}&step=1440`,
        signal,
      );
      return Object.keys(lines).sort();
    },
  );
  const chosen = place.value.query['table'];
  if (chosen === undefined || value?.includes(chosen) === true) return { ...loaded, value };
  return { ...loaded, value: [chosen, ...(value ?? [])] };
}

function MetricChart(props: {
  readonly cluster: string;
  readonly known: OpsMetricKey;
  readonly also: readonly string[];
}) {
  const { cluster, known, also } = props;
  const { query } = place.value;
  const nodes = useNodes(cluster);
  const tables = useTables(known.scope === 'table' ? cluster : undefined);
  const table = known.scope === 'table' ? (query['table'] ?? tables.value?.[0]) : undefined;
  const time = chartTimeInAddress();
  const node = query['node'] ?? '';
  const all = (nodes.value ?? []).map(({ node_ip: ip }) => ip);
  const each = all.slice(0, mostNodes);
  const shown = node === 'all' ? [] : node === '' ? each : [node];
  const isReady = (node === 'all' || shown.length > 0) && (known.scope !== 'table' || table !== undefined);
  const loaded = useLoaded(
    isReady ? JSON.stringify([cluster, known.key, also, shown, table, time]) : undefined,
    (signal) => loadChart({ cluster, metric: known.key, also, nodes: shown, table }, time, signal),
    { everyMs },
  );
  // A link opens the table that is shown, also when another one is the first by then.
  useEffect(() => {
    if (table !== undefined) changeQuery({ table });
  }, [table]);
  if (known.scope === 'table' && table === undefined)
    return (
      <Shown loaded={tables}>
        {() => (
          <EmptyState icon="table" title="There are no tables with values yet">
            Create a table and write to it; its metrics appear within a minute.
          </EmptyState>
        )}
      </Shown>
    );
  // Without the nodes nothing is loaded.
  if (nodes.failure !== undefined && !isReady)
    return <FailureNotice failure={nodes.failure} onRetry={nodes.reload} />;
  const leftOut = node === '' ? all.length - each.length : 0;
  return (
    <Shown loaded={loaded}>{(chart) => <ShownChart {...{ cluster, known, table, chart, leftOut }} />}</Shown>
  );
}

interface LoadedChart extends LinesInRange {
  readonly rules: readonly OpsRule[];
  readonly events: readonly OpsEvent[];
}

async function loadChart(
  what: Omit<MetricRange, 'fromS' | 'toS'>,
  { range: { seconds }, past }: ChartTime,
  signal: AbortSignal,
): Promise<LoadedChart> {
  // Times of events are in microseconds.
  const before = past === undefined ? '' : `&timestamp=${past.toS}000000`;
  const [range, rules, events] = await Promise.all([
    past === undefined ? readFittedLines(what, seconds, signal) : readPastLines({ ...what, ...past }, signal),
    read<readonly OpsRule[]>(pathOf(what.cluster, 'alert-rules'), signal),
    read<readonly OpsEvent[]>(`${pathOf(what.cluster, 'events')}?count=${mostEvents}${before}`, signal),
  ]);
  const inRange = events.filter(({ time }) => Number(time) / 1e6 >= range.fromS);
  return { ...range, rules: rules.filter(({ metric }) => metric === what.metric), events: inRange };
}

function ShownChart(props: {
  readonly cluster: string;
  readonly known: OpsMetricKey;
  readonly table: string | undefined;
  readonly chart: LoadedChart;
  /** The number of nodes without a line. */
  readonly leftOut: number;
}) {
  const { cluster, known, table, chart, leftOut } = props;
  const { fromS, toS, stepS, isAll, lines, rules, events } = chart;
  const active = rules.filter(({ enabled, cf }) => enabled === 1 && (cf === undefined || cf === table));
  const hasValues = lines.some(({ points }) => points.length > 0);
  return (
    <section class="card">
      <h2>
        {known.key}
        {table !== undefined && ` of ${table}`} <span class="muted">{unitText(known.unit)}</span>
      </h2>
      <p class="muted">{metricText(known)}</p>
      {hasValues ? (
        <Chart
          label={known.key}
          lines={lines}
          fromS={fromS}
          toS={toS}
          stepS={stepS}
          unit={known.unit}
          size="large"
          thresholds={active.flatMap(({ threshold }) => threshold ?? [])}
          hidden={hiddenInAddress()}
          onHide={(names) => changeQuery({ hidden: names.length === 0 ? undefined : JSON.stringify(names) })}
          onZoom={(from, to) => changeQuery(pastQuery(from, to), true)}
          marks={events.map(({ time, level }) => ({ atS: Number(time) / 1e6, isSerious: level >= warning }))}
        />
      ) : (
        <EmptyState icon="metrics" title="No values in this time">
          Values are stored each minute; choose a longer time, or wait a little.
        </EmptyState>
      )}
      <ChartRemarks
        nodes={{ shown: mostNodes, leftOut }}
        isWhole={isAll && hasValues}
        ruleCount={active.length}
        eventCount={events.length}
      />
      <SeriousEvents events={events.filter(({ level }) => level >= warning)} />
      {known.scope !== 'device' && <NewRuleLink cluster={cluster} metric={known.key} />}
    </section>
  );
}

function NewRuleLink({ cluster, metric }: { readonly cluster: string; readonly metric: string }) {
  const open = partText({ kind: 'new-rule', subject: metric });
  return (
    <p>
      <a href={hrefOf(['alerts'], { tab: 'rules', open, ...clusterQuery(cluster) })}>
        New alert rule for this metric
      </a>
    </p>
  );
}

/** The names of lines that are not drawn, a list in JSON. */
function hiddenInAddress(): readonly string[] {
  try {
    const names: unknown = JSON.parse(place.value.query['hidden'] ?? '[]');
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}

const mostListed = 5;

function SeriousEvents({ events }: { readonly events: readonly OpsEvent[] }) {
  if (events.length === 0) return null;
  return (
    <ul class="plain-list">
      {events.slice(0, mostListed).map(({ time, level_str: level, message }) => (
        <li key={time}>
          <Badge word={level} /> <Time atMs={Number(time) / 1000} /> {message}
        </li>
      ))}
    </ul>
  );
}
