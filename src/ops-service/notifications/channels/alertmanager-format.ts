// An alert in the format of Prometheus' Alertmanager: labels, annotations, times.
import { createHash } from 'node:crypto';
import { annotationsOf, type Notice, ruleNameOf } from '../notice.js';

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
  const own = present({
    summary: event.message,
    reason: notice.reason,
    rule: ruleNameOf(notice),
    current_value: alert === null ? undefined : String(alert.current_value),
    notice_id: notice.id,
  });
  const annotations = joined(renamed(annotationsOf(notice)), own);
  return {
    status: status === 'resolved' ? 'resolved' : 'firing',
    labels,
    annotations,
    startsAt: alert === null ? timeOf(event.time) : new Date(alert.first_fired * 1000).toISOString(),
    endsAt: status === 'resolved' ? timeOf(event.time) : notYet,
    generatorURL: notice.url ?? '',
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
    externalURL: notice.url ?? '',
    alerts: [alert],
  };
}

/** The annotations of the rule, and those of the server, which get another name where the rule uses theirs. */
function joined(
  annotations: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = Object.entries(own).map(([name, value]) => [
    Object.hasOwn(annotations, name) ? `colonnade_${name}` : name,
    value,
  ]);
  return { ...Object.fromEntries(names), ...annotations };
}

/**
 * The annotations with different names that all versions of Alertmanager accept. A valid name stays as it is. In an
 * ASCII name, other characters become `_`; where that is the name of another annotation, and for all other names, the
 * characters are written in Prometheus' form `U__` with their code points.
 */
function renamed(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const taken = new Set(Object.keys(annotations).filter(isValidName));
  const entries = Object.entries(annotations).map(([name, value]) => {
    if (isValidName(name)) return [name, value] as const;
    let other = plainName(name);
    if (other === undefined || taken.has(other)) other = escapedName(name);
    while (taken.has(other)) other += '_';
    taken.add(other);
    return [other, value] as const;
  });
  return Object.fromEntries(entries);
}

function isValidName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** `runbook_url` for `runbook-url`; undefined if nothing readable would remain. */
function plainName(name: string): string | undefined {
  if (/[^\x20-\x7e]/.test(name)) return undefined;
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_');
}

/** Prometheus' escaping scheme "values": a character that is not allowed is `_`, its code point in hex, and `_`. */
function escapedName(name: string): string {
  const parts = [...name].map((character) => {
    if (character === '_') return '__';
    return /[A-Za-z0-9]/.test(character) ? character : `_${character.codePointAt(0)?.toString(16)}_`;
  });
  return `U__${parts.join('')}`;
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
