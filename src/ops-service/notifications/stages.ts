// The stages that a notice passes before delivery. Pure: each says why it stops a notice, or passes it on.

import { marksNodeDown } from '../alerts/rules/registry.js';
import type { Alert, Event, RuleSummary } from '../events/event.js';
import type { NoticeStatus } from './notice.js';
import { matchesAlert, matchesEvent, type Silence } from './silence.js';

/** What one channel knows of one alert. */
export interface ChannelHistory {
  /** `maybe`: a notice was sent, and it is not known whether it arrived. */
  readonly notified: 'no' | 'maybe' | 'yes';
  /** The last attempt failed permanently: nothing is tried until the next change or repeat. */
  readonly hasFailed: boolean;
  /** On the lasting clock, the last notice, sent or failed; undefined before the first. */
  readonly lastAtMs: number | undefined;
  /** What waits in the queue or is under way, without what is on its way to the rest of the addressees only. */
  readonly queued: NoticeStatus | undefined;
}

/** A notice that could be sent to one channel. */
export interface Candidate {
  readonly clusterId: string;
  readonly status: NoticeStatus;
  readonly event: Event;
  /** Null with `event`. */
  readonly alert: Alert | null;
  /** Null with `event`. */
  readonly rule: RuleSummary | null;
  readonly history: ChannelHistory;
  /** How the channel is to be notified again of what fires. */
  readonly repeats: Repeats;
}

/** Whether and after how long the channel is notified again of an alert that fires. */
export interface Repeats {
  /** 0: never. */
  readonly intervalMs: number;
  /** For a receiver that forgets alerts: it notifies no person, so that an acknowledgement does not stop it. */
  readonly isRefresh: boolean;
}

/** What the stages look at beside the candidate. */
export interface Circumstances {
  /** On the lasting clock. */
  readonly atMs: number;
  readonly isOn: boolean;
  /** Those that are active for the candidate's cluster. */
  readonly silences: readonly Silence[];
  isNodeDown(node: string): boolean;
  /** Whether the queue takes another first notice. */
  hasRoomForFirst(): boolean;
}

/** A stage of the pipeline. */
export interface Stage {
  readonly name: 'silence' | 'switch' | 'acknowledgement' | 'node-down' | 'deduplicate' | 'repeat' | 'room';
  /** What such a stage stops is in the delivery log as held; the others stop notices that are not expected. */
  readonly holds: boolean;
  /** Why the notice goes no further, in words; undefined lets it pass. */
  stop(candidate: Candidate, circumstances: Circumstances): string | undefined;
}

const silence: Stage = {
  name: 'silence',
  holds: true,
  stop: ({ alert, event }, { silences }) => {
    const found = silences.find((one) =>
      alert === null ? matchesEvent(one, event) : matchesAlert(one, alert),
    );
    return found === undefined ? undefined : `silenced by ${found.id}`;
  },
};

const globalSwitch: Stage = {
  name: 'switch',
  holds: true,
  stop: (_, { isOn }) => (isOn ? undefined : 'notifications are off'),
};

const acknowledgement: Stage = {
  name: 'acknowledgement',
  holds: true,
  stop: ({ status, alert, history, repeats }) => {
    const isKept = repeats.isRefresh && history.notified === 'yes';
    return status === 'firing' && alert?.state === 'acknowledged' && !isKept ? 'acknowledged' : undefined;
  },
};

const nodeDown: Stage = {
  name: 'node-down',
  holds: true,
  stop: ({ status, alert, rule }, { isNodeDown }) => {
    if (status !== 'firing' || alert === null || rule === null || alert.node === '') return undefined;
    if (marksNodeDown(rule)) return undefined;
    return isNodeDown(alert.node) ? 'node down' : undefined;
  },
};

const deduplicate: Stage = {
  name: 'deduplicate',
  holds: false,
  stop: ({ status, history, repeats: { intervalMs } }) => {
    if (status === 'event') return undefined;
    if (history.queued === status) return 'waits for delivery';
    if (status === 'resolved') return undefined;
    const repeats = intervalMs > 0;
    if (history.hasFailed) return repeats ? undefined : 'failed, and nothing has changed since';
    return history.notified !== 'yes' || repeats
      ? undefined
      : 'notified already, and the rule has no repeats';
  },
};

const repeat: Stage = {
  name: 'repeat',
  holds: false,
  stop: ({ status, history, repeats: { intervalMs } }, { atMs }) => {
    if (status !== 'firing' || history.lastAtMs === undefined) return undefined;
    return atMs - history.lastAtMs >= intervalMs ? undefined : 'the next repeat is not due';
  },
};

/** It is not held, but judged again every second: a line for each notice would flood the delivery log. */
const room: Stage = {
  name: 'room',
  holds: false,
  stop: ({ status, history }, { hasRoomForFirst }) => {
    const isFirst = status === 'firing' && history.notified !== 'yes' && history.queued === undefined;
    return !isFirst || hasRoomForFirst() ? undefined : 'the queue is full';
  },
};

/** In their order; what passes them all is delivered. */
export const stages: readonly Stage[] = [
  silence,
  globalSwitch,
  acknowledgement,
  nodeDown,
  deduplicate,
  repeat,
  room,
];

/** Why a candidate goes no further. */
export interface Stop {
  readonly stage: Stage['name'];
  readonly reason: string;
  /** Only holding stages stop it: without them the notice would be sent now. */
  readonly isHeld: boolean;
}

/** Takes a candidate through the stages; undefined: deliver it. */
export function judge(candidate: Candidate, circumstances: Circumstances): Stop | undefined {
  const stops = stages.flatMap((stage) => {
    const reason = stage.stop(candidate, circumstances);
    return reason === undefined ? [] : [{ stage, reason }];
  });
  const [first] = stops;
  if (first === undefined) return undefined;
  const isHeld = stops.every(({ stage }) => stage.holds);
  return { stage: first.stage.name, reason: first.reason, isHeld };
}
