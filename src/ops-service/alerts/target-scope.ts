// Whether a place still belongs to a rule and to its cluster.
import { findMetricKey } from '../metrics/metric-keys.js';
import type { JudgedCluster, Rule, Target } from './rule.js';

/** Why a place is not there any more, in words; undefined while it may be. */
export function whyGone(rule: Rule, target: Target, cluster: JudgedCluster): string | undefined {
  if (!cluster.isLoaded) return undefined;
  if (rule.type === 'cluster-balance') {
    return cluster.nodes.some(({ dc }) => dc === target.dc) ? undefined : 'data center removed';
  }
  if (target.node === '') return undefined;
  if (!cluster.nodes.some(({ address }) => address === target.node)) return 'node removed';
  if (target.table !== null && !cluster.tables.has(target.table)) return 'table dropped';
  if (target.device !== null && 'metric' in rule && isDeviceGone(rule.metric, target, cluster))
    return 'device removed';
  return undefined;
}

/** Whether a rule looks at a place at all. */
export function isInScope(rule: Rule, target: Target): boolean {
  // The alert about a whole cluster that cannot be reached.
  if (rule.type === 'node-down' && target.node === '') return true;
  if (rule.dc !== undefined && target.dc !== rule.dc) return false;
  if (!('metric' in rule)) return target.table === null && target.device === null;
  const scope = findMetricKey(rule.metric)?.scope;
  if ((scope === 'table') !== (target.table !== null)) return false;
  if ((scope === 'device') !== (target.device !== null)) return false;
  return (
    (rule.cf === undefined || rule.cf === target.table) &&
    (rule.item === undefined || rule.item === target.device)
  );
}

/** The node gives the metric of other devices now and has not given this one's for long. */
function isDeviceGone(metric: string, { node, device }: Target, cluster: JudgedCluster): boolean {
  const key = findMetricKey(metric)?.key ?? metric;
  const devices = cluster.samples.of(key).get(node);
  if (devices === undefined) return false;
  const own = devices.get(device ?? '');
  if (own !== undefined && cluster.atMs - own.atMs <= cluster.gapMs) return false;
  return [...devices.values()].some(({ atMs }) => atMs === cluster.atMs);
}
