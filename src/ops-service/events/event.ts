// The event: something that happened in a cluster, in the form of the log and of replies.

/** Numbers of the levels. */
export const levels = { DEBUG: 0, INFO: 1, WARN: 2, ERROR: 3, CRITICAL: 4, ALERT: 5 } as const;

/** A level by its name. */
export type LevelName = keyof typeof levels;

/** Codes of events. Those below 1000 are from the specification; the others are specific to this server. */
export const actionCodes = {
  compaction: 0,
  cleanup: 1,
  repair: 2,
  flush: 3,
  nodeDown: 13,
  nodeUp: 14,
  nodeLeft: 15,
  nodeJoined: 16,
  nodeMoved: 17,
  serviceStarted: 18,
  serviceStopped: 19,
  alertFired: 1000,
  alertCleared: 1001,
  alertAcknowledged: 1002,
  ruleCreated: 1010,
  ruleChanged: 1011,
  ruleDeleted: 1012,
  notificationsOn: 1020,
  notificationsOff: 1021,
  silenceSet: 1022,
  silenceEnded: 1023,
  clusterAdded: 1030,
  clusterChanged: 1031,
  clusterRemoved: 1032,
  channelChanged: 1033,
  /** The event of a test notice, which is never in the log. */
  channelTested: 1034,
  schemaChanged: 1040,
  nativeQuery: 1041,
  keyStoreChanged: 1042,
  clockJumped: 1050,
  login: 1060,
  loginRefused: 1061,
  logout: 1062,
} as const;

/** The names of the codes. */
export type ActionName = keyof typeof actionCodes;

/** An event in the form of replies. Source: the Event resource of the specification. */
export interface Event {
  readonly action: number;
  readonly api_source_ip: string;
  readonly event_source: 'Colonnade';
  readonly level: number;
  readonly level_str: LevelName;
  readonly message: string;
  readonly source_node: string;
  readonly success: boolean | null;
  readonly target_node: string | null;
  /** Microseconds since 1970 as text; unique and rising within a cluster. */
  readonly time: string;
  readonly user: string;
}

/** An event of an alert, with what it is about. */
export interface AlertLogEntry extends Event {
  readonly alert_id: string;
  readonly alert_rule_id: string;
}

/** An alert in the form of `GET /{cluster_id}/alerts` and of notices. */
export interface Alert {
  readonly id: string;
  readonly alert_rule_id: string;
  /** An address; empty if the alert is about a whole data center or cluster. */
  readonly node: string;
  readonly dc: string | null;
  readonly table: string | null;
  readonly device: string | null;
  readonly level: LevelName;
  readonly state: 'firing' | 'acknowledged' | 'no-data';
  readonly current_value: number;
  /** Seconds since 1970 of the transition to firing. */
  readonly first_fired: number;
}

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
  readonly action: ActionName;
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
