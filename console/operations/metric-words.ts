// Metric keys in groups, with what they measure in words, for the places where one is chosen.
import type { OpsMetricKey } from './ops-api.js';
import { unitText } from './show-values.js';

/** A group of keys, in the order of lists. */
interface MetricGroup {
  readonly title: string;
  /** What the keys of the group begin with, or are. */
  readonly has: RegExp;
}

const groups: readonly MetricGroup[] = [
  { title: 'Requests', has: /^(read|write)-/ },
  { title: 'Tables', has: /^cf-/ },
  { title: 'Data and memory', has: /^(data-load|heap-|nonheap-)/ },
  { title: 'Garbage collection', has: /-collection-(count|time)$/ },
  { title: 'Caches', has: /^(key|row)-cache-/ },
  { title: 'Compaction and waiting work', has: /^(total-|pending-)/ },
  { title: 'Operating system', has: /^os-/ },
];

const others = 'Others';

/** Parts of keys in words; a key is described by the first that fits. */
const words: readonly (readonly [RegExp, (parts: readonly string[]) => string])[] = [
  [/^(read|write)-ops$/, ([what]) => `${what} requests`],
  [/^(read|write)-latency-op$/, ([what]) => `mean time of a ${what} request`],
  [/^(read|write)-histogram$/, ([what]) => `times of ${what} requests, as percentiles`],
  [/^(read|write)-failures$/, ([what]) => `${what} requests that failed by an error of the server`],
  [/^(read|write)-timeouts$/, ([what]) => `${what} requests that took too long`],
  [/^cf-(read|write)-ops$/, ([what]) => `${what}s of the table`],
  [/^cf-local-(read|write)-latency$/, ([what]) => `times of ${what}s of the table, as percentiles`],
  [/^cf-(read|write)-latency-op$/, ([what]) => `mean time of a ${what} of the table`],
  [/^cf-(total|live)-disk-used$/, ([what]) => `${what} space of the table on disk`],
  [/^cf-bf-(.*)$/, ([what]) => `Bloom filters of the table: ${spaced(what)}`],
  [/^cf-(key|row)cache-(.*)$/, ([cache, what]) => `${cache} cache of the table: ${spaced(what)}`],
  [/^cf-(.*)$/, ([what]) => `${spaced(what)} of the table`],
  [/^data-load$/, () => 'size of all data on disk'],
  [
    /^(heap|nonheap)-(used|committed|max)$/,
    ([kind, what]) => `${kind === 'heap' ? 'heap' : 'memory outside the heap'}, ${what}`,
  ],
  [/^(.*)-collection-count$/, ([kind]) => `garbage collections (${kind})`],
  [/^(.*)-collection-time$/, ([kind]) => `time of garbage collections (${kind})`],
  [/^(key|row)-cache-(.*)$/, ([cache, what]) => `${cache} cache: ${spaced(what)}`],
  [/^total-(.*)$/, ([what]) => spaced(what)],
  [/^pending-(.*)$/, ([what]) => `waiting work: ${spaced(what)}`],
  [/^os-cpu-(.*)$/, ([what]) => `processor time, ${what}`],
  [/^os-load$/, () => 'load average of one minute'],
  [/^os-memory-(.*)$/, ([what]) => `memory of the machine, ${what}`],
  [/^os-net-(.*)$/, ([what]) => `network, ${what}`],
  [/^os-disk-usage$/, () => 'used part of the disk'],
  [/^os-disk-(.*)$/, ([what]) => `${what} space of the disk`],
];

function spaced(text = ''): string {
  return text.replaceAll('-', ' ');
}

/** What a key measures, with its unit: `write requests, per second`. */
export function metricText({ key, unit }: Pick<OpsMetricKey, 'key' | 'unit'>): string {
  for (const [pattern, text] of words) {
    const found = pattern.exec(key);
    if (found !== null) return withUnitText(text(found.slice(1)), unit);
  }
  return withUnitText(spaced(key), unit);
}

function withUnitText(text: string, unit: string): string {
  const named = unit === 'bytes' || unit === 'bytes/s' || unit === 'MiB' ? unit : unitText(unit);
  return named === '' ? text : `${text}, ${named}`;
}

/** A choice of a list, with its group. */
export interface MetricChoice {
  readonly value: string;
  readonly label: string;
  readonly group: string;
}

/** The keys as choices, by group. In each group, keys without values are the last. */
export function metricChoices(keys: readonly OpsMetricKey[]): readonly MetricChoice[] {
  const own = keys.filter(({ alias_of: alias }) => alias === undefined);
  const titles = [...groups.map(({ title }) => title), others];
  const groupOf = (key: string) => groups.find(({ has }) => has.test(key))?.title ?? others;
  return titles.flatMap((group) => {
    const members = own.filter(({ key }) => groupOf(key) === group);
    const sorted = [
      ...members.filter(({ available }) => available),
      ...members.filter((one) => !one.available),
    ];
    return sorted.map((one) => ({
      value: one.key,
      label: `${one.key}${one.available ? '' : ', unavailable'}: ${metricText(one)}`,
      group,
    }));
  });
}
