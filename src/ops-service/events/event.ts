// The event: something that happened in a cluster, in the form of the log and of replies.
import type { DescribedEventKind } from '../../descriptions/operations-kinds.js';
import type { OpsAlert, OpsAlertEvent, OpsEvent } from '../../descriptions/operations-replies.js';

/** Numbers of the levels. */
export const levels = { DEBUG: 0, INFO: 1, WARN: 2, ERROR: 3, CRITICAL: 4, ALERT: 5 } as const;

export type LevelName = keyof typeof levels;

// The keys of an object whose keys are the names.
/** The names of the levels, least severe first. */
export const levelNames = Object.keys(levels) as LevelName[];

/** All kinds of events, by the names that the code uses. */
export const eventKinds = {
  compaction: { code: 0, label: 'compaction', help: 'one for each node, when it ended' },
  cleanup: { code: 1, label: 'cleanup', help: 'one for each node, when it ended' },
  repair: { code: 2, label: 'repair', help: 'one for each node, when it ended' },
  flush: { code: 3, label: 'flush', help: 'one for each node, when it ended' },
  nodeDown: { code: 13, label: 'node down' },
  nodeUp: { code: 14, label: 'node up' },
  nodeLeft: { code: 15, label: 'node left' },
  nodeJoined: { code: 16, label: 'node joined' },
  nodeMoved: { code: 17, label: 'node moved' },
  serviceStarted: { code: 18, label: 'service started' },
  serviceStopped: { code: 19, label: 'service stopped' },
  alertFired: { code: 1000, label: 'alert fired' },
  alertCleared: { code: 1001, label: 'alert cleared' },
  alertAcknowledged: {
    code: 1002,
    label: 'alert acknowledged',
    help: 'also when it is taken back',
  },
  ruleCreated: { code: 1010, label: 'rule created' },
  ruleChanged: { code: 1011, label: 'rule changed' },
  ruleDeleted: { code: 1012, label: 'rule deleted' },
  notificationsOn: { code: 1020, label: 'notifications on' },
  notificationsOff: { code: 1021, label: 'notifications off' },
  silenceSet: { code: 1022, label: 'silence set' },
  silenceEnded: { code: 1023, label: 'silence ended' },
  clusterAdded: { code: 1030, label: 'cluster added' },
  clusterChanged: { code: 1031, label: 'cluster changed' },
  clusterRemoved: { code: 1032, label: 'cluster removed' },
  channelChanged: { code: 1033, label: 'channel changed', help: 'added, changed or removed' },
  channelTested: {
    code: 1034,
    label: 'test notice',
    help: 'only in notices, never in the log',
  },
  schemaChanged: { code: 1040, label: 'schema changed' },
  nativeQuery: { code: 1041, label: 'native query' },
  keyStoreChanged: { code: 1042, label: 'key store changed' },
  clockJumped: { code: 1050, label: 'clock set', help: 'the clock of the machine was set' },
  login: { code: 1060, label: 'login' },
  loginRefused: { code: 1061, label: 'login refused' },
  logout: { code: 1062, label: 'logout' },
  archiveBehind: { code: 1070, label: 'archive behind', help: 'changes wait for the archive of this server' },
  archiveCaughtUp: { code: 1071, label: 'archive caught up' },
  archiveGeneration: {
    code: 1072,
    label: 'archive generation',
    help: 'a new generation of the archive began',
  },
  writesRefused: {
    code: 1073,
    label: 'writes refused',
    help: 'another server has taken over the archive of this server, or may do so',
  },
  writesAccepted: { code: 1074, label: 'writes accepted' },
  followBehind: {
    code: 1080,
    label: 'follower behind',
    help: 'this server follows an archive and is behind',
  },
  followCaughtUp: { code: 1081, label: 'follower caught up' },
} as const satisfies Readonly<Record<string, DescribedEventKind>>;

/** The names of the kinds. */
export type EventName = keyof typeof eventKinds;

/** An event in the form of replies. */
export type Event = OpsEvent & { readonly level_str: LevelName };

/** An event of an alert, with what it is about. */
export type AlertLogEntry = Event & OpsAlertEvent;

/** An alert in the form of replies and of notices. */
export type Alert = OpsAlert & { readonly level: LevelName };

/** The parts of a rule that notices need. */
export interface RuleSummary {
  readonly id: string;
  /** The rule in words: `os-disk-usage above 85 for 5 minutes`. Absent if an earlier version stored the notice. */
  readonly name?: string;
  readonly type: string;
  readonly metric: string | null;
  readonly level: LevelName;
  readonly notifyIntervalMinutes: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A change of an alert. Changes of one alert are reported in the order in which they happened. */
export interface AlertChange {
  readonly kind: 'fired' | 'cleared' | 'acknowledged' | 'unacknowledged';
  readonly alert: Alert;
  readonly rule: RuleSummary;
  /** The reason in words: `value 93.2 above 85 for 5 minutes`, `rule changed`, `node removed`. */
  readonly reason: string;
}

/** An event to append; the log adds the time. */
export interface NewEvent {
  readonly action: EventName;
  readonly level: LevelName;
  readonly message: string;
  /** The caller that caused it. Default: the service itself. */
  readonly caller?: Caller;
  /** The node concerned. Default `127.0.0.1`. */
  readonly sourceNode?: string;
  readonly targetNode?: string;
  readonly success?: boolean;
  /** The change of an alert, if there was one. Listeners get it; it is not stored. */
  readonly change?: AlertChange;
}

/** Appends to the event log of a cluster and returns the event as it was written. */
export type AppendEvent = (clusterId: string, event: NewEvent) => Event;

/** An event as listeners of the log get it. */
export interface AppendedEvent {
  readonly clusterId: string;
  readonly event: Event;
  readonly change?: AlertChange | undefined;
}

/** The sender of an HTTP request. */
export interface Caller {
  /** The login name; empty without a login. */
  readonly user: string;
  /** The address that the request came from. */
  readonly address: string;
}
