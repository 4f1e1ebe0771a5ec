// The page of a screen that shows one cluster: part of the address, `local` where it names none.
import type { ComponentType } from 'preact';
import { useResource } from '../net/ops-api.js';
import { SelectField } from '../parts/field.js';
import { EmptyState, Loading } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { allClusters, changeQuery, clusterQuery, hrefOf, place } from '../state/url-state.js';
import { useKinds } from './kinds.js';

/** What the address names of a cluster: another one has its own nodes, tables, channels, rules and entries. */
const ofOneCluster = {
  ...{ node: undefined, table: undefined, hidden: undefined },
  ...{ channel: undefined, rule: undefined, before: undefined },
};

/** A title, a list to choose the cluster from where there are several, and the content for the chosen one. */
export function ClusterPage({
  title,
  content: Content,
  hasAll = false,
}: {
  readonly title: string;
  readonly content: ComponentType<{ readonly cluster: string }>;
  /** Whether the content can be of all clusters: `cluster` is then `allClusters`. */
  readonly hasAll?: boolean;
}) {
  const { value, failure } = useResource<Record<string, unknown>>('cluster-configs');
  const kinds = useKinds();
  const cluster = place.value.query['cluster'] ?? 'local';
  const ids = Object.keys(value ?? {});
  // There is always the cluster of this server, so its content waits only for the kinds.
  const isAll = hasAll && cluster === allClusters;
  const isKnown = cluster === 'local' || isAll || ids.includes(cluster) || failure !== undefined;
  const choices = [...(hasAll ? [{ value: allClusters, label: 'All clusters' }] : []), ...ids];
  return (
    <div class="page">
      <header class="page-head">
        <h1>{title}</h1>
        {ids.length > 1 && (
          <SelectField
            label="Cluster"
            isLabelHidden
            value={isKnown ? cluster : ''}
            choices={isKnown ? choices : ['', ...choices]}
            onChange={(id) => changeQuery({ ...ofOneCluster, ...clusterQuery(id) }, true)}
          />
        )}
      </header>
      <Shown loaded={kinds}>
        {() =>
          isKnown ? (
            <Content cluster={cluster} />
          ) : value === undefined ? (
            <Loading />
          ) : (
            <NoCluster id={cluster} />
          )
        }
      </Shown>
    </div>
  );
}

function NoCluster({ id }: { readonly id: string }) {
  return (
    <EmptyState
      icon="clusters"
      title={`There is no cluster ${id}`}
      actions={<a href={hrefOf(['clusters'])}>Show the clusters</a>}
    >
      It may have been removed since this link was made.
    </EmptyState>
  );
}
