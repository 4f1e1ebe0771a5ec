// An alert in the format of Prometheus' Alertmanager: labels, annotations, times.
import { createHash } from 'node:crypto';
import type { Notice } from '../notice.js';

/** An alert of the webhook format, version 4. */
export interface AlertmanagerAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** RFC 3339. */
  readonly startsAt: string;
  /** RFC 3339; the year 1 while it fires. */
  readonly endsAt: string;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

/** Alertmanager's value for a time that is not set. */
const notYet = '0001-01-01T00:00:00Z';

/** The alert of a notice. While it fires, all labels except the severity stay the same, and so does the fingerprint. */
export function alertmanagerAlert(notice: Notice): AlertmanagerAlert {
  const { alert, rule, event, status } = notice;
  const lasting = present({
    alertname: rule?.metric ?? rule?.type ?? 'event',
    cluster: notice.clusterId,
    alert_rule_id: alert?.alert_rule_id,
    rule_type: rule?.type,
    node: alert?.node,
    dc: alert?.dc,
    table: alert?.table,
    device: alert?.device,
  });
  const labels = { ...lasting, severity: (alert?.level ?? event.level_str).toLowerCase() };
  const annotations = present({
    ...named(rule?.annotations ?? {}),
    summary: event.message,
    reason: notice.reason,
    current_value: alert === null ? undefined : String(alert.current_value),
    notice_id: notice.id,
  });
  return {
    status: status === 'resolved' ? 'resolved' : 'firing',
    labels,
    annotations,
    startsAt: alert === null ? timeOf(event.time) : new Date(alert.first_fired * 1000).toISOString(),
    endsAt: status === 'resolved' ? timeOf(event.time) : notYet,
    generatorURL: '',
    fingerprint: createHash('sha256').update(JSON.stringify(lasting)).digest('hex').slice(0, 16),
  };
}

/** The body of the webhook, version 4. `receiver` is the name of the channel. */
export function alertmanagerWebhook(notice: Notice, receiver: string): object {
  const alert = alertmanagerAlert(notice);
  const { alertname = '', cluster = '' } = alert.labels;
  const quote = JSON.stringify;
  return {
    version: '4',
    groupKey: `{}:{alertname=${quote(alertname)}, cluster=${quote(cluster)}, id=${quote(notice.alert?.id ?? '')}}`,
    truncatedAlerts: 0,
    status: alert.status,
    receiver,
    groupLabels: { alertname, cluster },
    commonLabels: alert.labels,
    commonAnnotations: alert.annotations,
    externalURL: '',
    alerts: [alert],
  };
}

/** Renames annotations to names that all versions of Alertmanager accept. */
function named(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [
      name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_'),
      value,
    ]),
  );
}

function present(values: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

function timeOf(microseconds: string): string {
  return new Date(Number(microseconds) / 1000).toISOString();
}
