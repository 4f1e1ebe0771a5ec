// The stages that a notice passes before delivery. Pure: each passes a notice on or returns why it is stopped.

import { marksNodeDown } from '../alerts/rules/registry.js';
import type { Alert, Event, RuleSummary } from '../events/event.js';
import type { NoticeStatus } from './notice.js';
import { matchesAlert, matchesEvent, type Silence } from './silence.js';

/** The notices of one alert that one channel got. */
export interface ChannelHistory {
  /** `maybe`: a notice was sent, but it may not have arrived. */
  readonly notified: 'no' | 'maybe' | 'yes';
  /** The last attempt failed permanently: there is no attempt until the next change or repeat. */
  readonly hasFailed: boolean;
  /** The time of the last notice, sent or failed, on the lasting clock; undefined before the first. */
  readonly lastAtMs: number | undefined;
  /** The status of the notice that waits or is under way, except one that only the remaining addressees get. */
  readonly queued: NoticeStatus | undefined;
}

/** A notice that could be sent to one channel. */
export interface Candidate {
  readonly clusterId: string;
  readonly status: NoticeStatus;
  readonly event: Event;
  /** It is null if there is an `event`. */
  readonly alert: Alert | null;
  /** It is null if there is an `event`. */
  readonly rule: RuleSummary | null;
  readonly history: ChannelHistory;
  /** How the channel gets repeats of a firing alert. */
  readonly repeats: Repeats;
}

/** Whether and how often the channel gets repeats of a firing alert. */
export interface Repeats {
  /** 0 for never. */
  readonly intervalMs: number;
  /**
   * Whether the repeat is for a receiver that forgets alerts. It notifies no person, so an acknowledgement does not
   * stop it.
   */
  readonly isRefresh: boolean;
}

/** The inputs of the stages in addition to the candidate. */
export interface Circumstances {
  /** The time is on the lasting clock. */
  readonly atMs: number;
  readonly isOn: boolean;
  /** The active silences of the candidate's cluster. */
  readonly silences: readonly Silence[];
  isNodeDown(node: string): boolean;
  /** Whether the queue accepts another first notice. */
  hasRoomForFirst(): boolean;
}

/** A stage of the pipeline. */
export interface Stage {
  readonly name: 'silence' | 'switch' | 'acknowledgement' | 'node-down' | 'deduplicate' | 'repeat' | 'room';
  /**
   * Whether notices stopped here are listed as held in the delivery log; other stages stop notices that nobody expects.
   */
  readonly holds: boolean;
  /** Why the notice is stopped; undefined passes it on. */
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

/** The notice is not held, but judged again every second: a line for each would flood the delivery log. */
const room: Stage = {
  name: 'room',
  holds: false,
  stop: ({ status, history }, { hasRoomForFirst }) => {
    const isFirst = status === 'firing' && history.notified !== 'yes' && history.queued === undefined;
    return !isFirst || hasRoomForFirst() ? undefined : 'the queue is full';
  },
};

/** The stages in their order; a notice that passes all of them is delivered. */
export const stages: readonly Stage[] = [
  silence,
  globalSwitch,
  acknowledgement,
  nodeDown,
  deduplicate,
  repeat,
  room,
];

/** Why a candidate is stopped. */
export interface Stop {
  readonly stage: Stage['name'];
  readonly reason: string;
  /** Whether only holding stages stop the notice, which would be sent now without them. */
  readonly isHeld: boolean;
}

/** Passes a candidate through the stages; undefined means: deliver it. */
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
