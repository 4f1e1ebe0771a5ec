// Says which clusters notify nobody of their alerts, and why.
import type { AlertSummary } from '../../src/descriptions/operations-replies.js';
import { alertSummaries } from '../net/alert-summary.js';
import { mayChange } from '../net/server-facts.js';
import { LinkButton } from '../parts/button.js';
import { Notice } from '../parts/notice.js';
import { clusterQuery, hrefOf } from '../state/url-state.js';

/** A warning for each of the clusters that has no channel, or whose notifications are off. */
export function UnnotifiedClusters({ clusters }: { readonly clusters: readonly string[] }) {
  const silent = (alertSummaries.value ?? []).filter(
    ({ cluster, channels, notifications_enabled: isOn }) =>
      clusters.includes(cluster) && (channels === 0 || !isOn),
  );
  if (silent.length > mostNotices) return <ManyUnnotified clusters={silent} />;
  return (
    <>
      {silent.map((one) => (
        <Unnotified key={one.cluster} {...one} />
      ))}
    </>
  );
}

/** More clusters share a notice. */
const mostNotices = 2;

function ManyUnnotified({ clusters }: { readonly clusters: readonly AlertSummary[] }) {
  return (
    <Notice kind="warning" title={`Nobody is notified of alerts of ${clusters.length} clusters.`}>
      <p>They have no channel, or their notifications are switched off.</p>
      <p class="button-row">
        {clusters.map(({ cluster }) => (
          <a key={cluster} href={hrefOf(['notifications'], { cluster })}>
            {cluster}
          </a>
        ))}
      </p>
    </Notice>
  );
}

function Unnotified({ cluster, channels }: AlertSummary) {
  const hasNone = channels === 0;
  const query = clusterQuery(cluster);
  const open = hasNone && mayChange() ? { open: 'new-channel' } : {};
  return (
    <Notice
      kind="warning"
      title={`Nobody is notified of alerts of the cluster ${cluster}: ${
        hasNone ? 'it has no channel' : 'its notifications are switched off'
      }.`}
      action={
        <LinkButton href={hrefOf(['notifications'], { ...query, ...open })} icon="notifications">
          {hasNone && mayChange() ? 'Add a channel' : 'Show the notifications'}
        </LinkButton>
      }
    />
  );
}
