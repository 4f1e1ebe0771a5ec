// Which cluster a screen shows: part of the address, `local` where it names none.
import { useLoaded } from '../net/use-loaded.js';
import { SelectField } from '../parts/field.js';
import { changeQuery, place } from '../state/url-state.js';
import { read } from './ops-api.js';

/** The cluster of the address. */
export function chosenCluster(): string {
  return place.value.query['cluster'] ?? 'local';
}

/** A list of the clusters; nothing where there is only one. */
export function ClusterChoice() {
  const { value } = useLoaded('clusters', (signal) =>
    read<Record<string, unknown>>('cluster-configs', signal),
  );
  const ids = Object.keys(value ?? {});
  if (ids.length < 2) return null;
  return (
    <SelectField
      label="Cluster"
      isLabelHidden
      value={chosenCluster()}
      choices={ids}
      onChange={(id) => changeQuery({ cluster: id === 'local' ? undefined : id }, true)}
    />
  );
}
