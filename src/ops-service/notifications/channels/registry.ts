// The list of the kinds of channels, in the order of the documents.
import type { ChannelKind } from '../channel.js';
import { alertmanagerKind } from './alertmanager.js';
import { emailKind } from './email.js';
import { pagerdutyKind } from './pagerduty.js';
import { slackKind } from './slack.js';
import { snmpKind } from './snmp.js';
import { teamsKind } from './teams.js';
import { webhookKind } from './webhook.js';

/** All kinds; their types are unique. */
export const channelKinds: readonly ChannelKind[] = [
  webhookKind,
  emailKind,
  slackKind,
  teamsKind,
  pagerdutyKind,
  alertmanagerKind,
  snmpKind,
];
