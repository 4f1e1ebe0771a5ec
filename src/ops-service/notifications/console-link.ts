// The addresses of pages of the web console in notices.
import type { Notice } from './notice.js';

/**
 * The notice with the page of its alert, or of the events of its cluster, if there is an address of the console, which
 * has no slash at its end. Stored notices have no page, so that each attempt gets that of the present address.
 */
export function withLink(notice: Notice, consoleUrl: string | undefined): Notice {
  if (consoleUrl === undefined) return notice;
  const { clusterId, alert } = notice;
  const query = new URLSearchParams({
    ...(clusterId === 'local' ? {} : { cluster: clusterId }),
    ...(alert === null ? {} : { open: `alert:${alert.id}` }),
  });
  const search = query.size === 0 ? '' : `?${query}`;
  return { ...notice, url: `${consoleUrl}/#/${alert === null ? 'events' : 'alerts'}${search}` };
}
