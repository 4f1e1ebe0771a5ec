// Explains for one alert what each channel got, or which stage stopped its notice and why.
import type { OpsDelivery, OpsExplanation } from '../../descriptions/operations-replies.js';
import type { Alert } from '../events/event.js';
import type { KeptChannel } from './channel-repository.js';
import { addressee } from './delivery-log.js';
import type { FollowedAlert } from './followed-alert.js';
import type { QueuedNotice } from './notice-queue.js';
import { type Stage, type Stop, stages } from './stages.js';

/** What stopped a notice: a stage, the settings of the channel, the number of alerts, or the delivery itself. */
export type StoppedBy = Stage['name'] | 'level' | 'rule' | 'limit' | 'delivery';

/** The state of an alert for a channel, with its reason. */
export type Explained = Pick<OpsExplanation, 'state' | 'reason'> & { readonly stage: StoppedBy | null };

/** What is known of a firing alert and a channel that accepts it. */
export interface ChannelFacts {
  /** Undefined if too many alerts were followed when it fired. */
  readonly followed: FollowedAlert | undefined;
  readonly channelId: string;
  /** The notice about its firing that waits or is under way. */
  readonly queued: QueuedNotice | undefined;
  /** Why a notice would not be sent now; undefined if it would. */
  readonly stop: Stop | undefined;
}

/** The entries of the delivery log are read up to this number for one alert. */
export const mostEntries = 1000;

/** Why a channel does not accept an alert by its settings; undefined if it does. */
export function whyExcluded(
  { settings }: KeptChannel,
  { level, alert_rule_id: ruleId }: Alert,
): Explained | undefined {
  const { levels, rules } = settings;
  if (levels.length > 0 && !levels.includes(level)) {
    const reason = `the channel takes only the levels ${levels.join(', ')}, and the alert has ${level}`;
    return { state: 'excluded', stage: 'level', reason };
  }
  if (rules.length === 0 || rules.includes(ruleId)) return undefined;
  return { state: 'excluded', stage: 'rule', reason: 'the channel takes only alerts of other rules' };
}

/** The state of a firing alert for a channel that accepts it. */
export function explainFiring({ followed, channelId, queued, stop }: ChannelFacts): Explained {
  if (followed === undefined)
    return { state: 'missing', stage: 'limit', reason: 'too many alerts fired at the same time' };
  const known = followed.channels.get(channelId);
  if (queued !== undefined) {
    const reason = queued.lastReason === '' ? 'waits for delivery' : `is tried again: ${queued.lastReason}`;
    return { state: 'waiting', stage: 'delivery', reason };
  }
  if (known?.hasFailed === true)
    return { state: 'failed', stage: 'delivery', reason: 'failed, and nothing has changed since' };
  // The first reason may be one that nobody waits for, such as a repeat that is not due.
  const isHeld = stages.some(({ name, holds }) => holds && name === stop?.stage);
  if (known?.notified === 'yes')
    return { state: 'notified', stage: isHeld ? (stop?.stage ?? null) : null, reason: stop?.reason ?? '' };
  if (stop === undefined) return { state: 'waiting', stage: null, reason: 'is queued within a second' };
  return { state: isHeld ? 'held' : 'waiting', stage: stop.stage, reason: stop.reason };
}

/** The state of an alert that is over, from the newest entry of the delivery log. */
export function explainOver(last: OpsDelivery | undefined): Explained {
  if (last === undefined) return { state: 'missing', stage: null, reason: 'the delivery log has no entry' };
  switch (last.outcome) {
    case 'sent':
      return { state: 'notified', stage: null, reason: last.reason };
    case 'held':
      return { state: 'held', stage: null, reason: last.reason };
    case 'retrying':
      return { state: 'waiting', stage: 'delivery', reason: last.reason };
    case 'failed':
    case 'dropped':
      return { state: 'failed', stage: 'delivery', reason: last.reason };
  }
}

/** The states for channels of the entries, newest first, that are none of `channels` any more. */
export function explainRemoved(
  channels: readonly KeptChannel[],
  entries: readonly OpsDelivery[],
): readonly OpsExplanation[] {
  const known = new Set(channels.map(({ id }) => id));
  return entries.flatMap((last) => {
    const { channel_id, channel } = last;
    if (known.has(channel_id)) return [];
    known.add(channel_id);
    const before = explainOver(last);
    const isSettled = before.state === 'notified' || before.state === 'failed';
    const now = isSettled
      ? before
      : ({ state: 'missing', stage: null, reason: 'the channel was removed' } as const);
    return [{ channel_id, channel, ...now, last }];
  });
}

/** The explanation with the channel and its newest entry. `entries` are those of the alert, newest first. */
export function explained(
  channel: KeptChannel,
  entries: readonly OpsDelivery[],
  explain: (last: OpsDelivery | undefined) => Explained,
): OpsExplanation {
  const last = entries.find(({ channel_id: id }) => id === channel.id);
  return { ...addressee(channel), ...explain(last), last: last ?? null };
}
