// Notices for the suite of channels, one of each status.
import type { Notice } from '../../src/ops-service/notifications/notice.js';

/** An alert that fires on a table of a node, with all there is to say of it. */
export const firingNotice: Notice = {
  id: '0b5b1c7e-0000-4000-8000-000000000001',
  clusterId: 'local',
  status: 'firing',
  event: {
    action: 1000,
    api_source_ip: '127.0.0.1',
    event_source: 'Colonnade',
    level: 3,
    level_str: 'ERROR',
    message: 'alert fired: P99 of cf-local-read-latency of shop.orders on 10.0.0.7: value 93.25 above 85',
    source_node: '10.0.0.7',
    success: null,
    target_node: null,
    time: '1700000100000123',
    user: 'system',
  },
  alert: {
    id: 'a1',
    alert_rule_id: 'r1',
    node: '10.0.0.7',
    dc: 'dc1',
    table: 'shop.orders',
    device: null,
    level: 'ERROR',
    state: 'firing',
    current_value: 93.25,
    first_fired: 1_700_000_100,
  },
  rule: {
    id: 'r1',
    name: 'P99 of cf-local-read-latency above 85 for 5 minutes on shop.orders',
    type: 'percentile',
    metric: 'cf-local-read-latency',
    level: 'ERROR',
    notifyIntervalMinutes: 60,
    annotations: {
      runbook: 'https://wiki.example/latency',
      // Names that formats use for texts of the server.
      summary: 'call the team of the shop',
      message: 'not ours',
      notice_id: 'nor this',
      // Names that must stay different where only ASCII is allowed.
      дата: 'the first',
      слон: 'the second',
      'runbook-url': 'with a dash',
      runbook_url: 'with an underscore',
      '2nd': `${'long '.repeat(204)}end`,
      steps: 'restart it\nthen call',
      flag: '',
    },
  },
  url: 'https://ops.example.org/console/#/alerts?open=alert%3Aa1',
  reason: 'value 93.25 above 85 for 5 minutes',
};

/** The end of the same alert. */
export const resolvedNotice: Notice = {
  ...firingNotice,
  id: '0b5b1c7e-0000-4000-8000-000000000002',
  status: 'resolved',
  event: {
    ...firingNotice.event,
    action: 1001,
    level: 1,
    level_str: 'INFO',
    message:
      'alert cleared: P99 of cf-local-read-latency of shop.orders on 10.0.0.7: value 12 is not above 85',
    time: '1700000700000456',
  },
  reason: 'value 12 is not above 85',
};

/** What texts for people contain of the annotations, with the first lines of values. */
export const annotationLines: readonly string[] = Object.entries(firingNotice.rule?.annotations ?? {}).map(
  ([name, value]) => `${name}: ${value.split('\n')[0]}`,
);

/** An event that is about no alert. */
export const eventNotice: Notice = {
  id: '0b5b1c7e-0000-4000-8000-000000000003',
  clusterId: 'local',
  status: 'event',
  event: {
    action: 3,
    api_source_ip: '10.0.0.9',
    event_source: 'Colonnade',
    level: 1,
    level_str: 'INFO',
    message: 'flush of shop on 127.0.0.1',
    source_node: '127.0.0.1',
    success: true,
    target_node: null,
    time: '1700000200000789',
    user: 'ann',
  },
  alert: null,
  rule: null,
  reason: 'event',
};
