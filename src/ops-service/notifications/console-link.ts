// The addresses of pages of the web console in notices.
import type { Notice } from './notice.js';

/** The page of the alert of a notice, or of the events of its cluster. `consoleUrl` has no slash at its end. */
export function consoleLink(
  consoleUrl: string,
  { clusterId, alert }: Pick<Notice, 'clusterId' | 'alert'>,
): string {
  const query = new URLSearchParams({
    ...(clusterId === 'local' ? {} : { cluster: clusterId }),
    ...(alert === null ? {} : { open: `alert:${alert.id}` }),
  });
  const search = query.size === 0 ? '' : `?${query}`;
  return `${consoleUrl}/#/${alert === null ? 'events' : 'alerts'}${search}`;
}
