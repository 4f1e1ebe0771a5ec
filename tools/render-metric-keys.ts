// Renders the reference of metric keys from their table.
import { type MetricKey, metricKeys } from '../src/ops-service/metrics/metric-keys.js';
import { renderTable } from './render-table.js';

/** The text below the title of docs/metric-keys.md. */
export function renderMetricKeys(): string {
  const headings = ['key', 'what', 'unit', 'scope', 'on `local`', 'on Apache Cassandra'];
  return `${introduction}\n${renderTable(headings, metricKeys.map(renderRow))}`;
}

const introduction = `What the operations service measures, under the keys that alert rules and the paths of metrics
use. \`GET /metric-keys\` says which of them the clusters of a server give. What is not available is left out and
never shown as 0: a rule on it has the state *no data*.

Rates are per second, averaged over the interval of the readings. \`%\` is 0 to 100. A key of tables or devices has a
value for each of them. A distribution has the values MIN, P50, P90, P99 and MAX and is for rules of the type
\`percentile\`. An alias is accepted wherever its key is.
`;

function renderRow({
  key,
  label,
  unit,
  scope,
  hasParts,
  local,
  cassandra,
  aliases,
}: MetricKey): readonly string[] {
  const names = [key, ...aliases].map((name) => `\`${name}\``);
  const shownUnit = hasParts ? `${unit}, distribution` : unit;
  return [names.join(', alias '), label, shownUnit || '–', scope, local ?? '–', cassandra ?? '–'];
}
