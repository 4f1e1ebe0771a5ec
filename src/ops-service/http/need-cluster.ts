// The cluster of a request whose path names one.
import type { Cluster } from '../clusters/cluster.js';

/** The router gives it to every route whose path has `{cluster_id}`; without it the route is wired wrongly. */
export function needCluster(cluster: Cluster | undefined): Cluster {
  if (cluster === undefined) throw new Error('the path of this route names no cluster');
  return cluster;
}
