// Replies of the operations service that the console reads: schemas for its routes, and their types for all others.
import * as v from 'valibot';

type Frozen<Value> = { readonly [Name in keyof Value]: Frozen<Value[Name]> };
/** The type of a reply, which nobody changes. */
type Reply<Schema extends v.GenericSchema> = Frozen<v.InferOutput<Schema>>;

const textOrNull = v.nullable(v.string());
const numberOrNull = v.nullable(v.number());
const integer = v.pipe(v.number(), v.integer());

export const nodeReply = v.strictObject({
  node_ip: v.string(),
  dc: textOrNull,
  rack: textOrNull,
  hostname: textOrNull,
  state: v.picklist(['up', 'down', 'unknown']),
  /** Seconds since 1970. */
  last_seen: numberOrNull,
  /** Bytes. */
  load: numberOrNull,
  os: textOrNull,
  version: textOrNull,
});
export type OpsNode = Reply<typeof nodeReply>;

export const eventReply = v.strictObject({
  action: integer,
  api_source_ip: v.string(),
  event_source: v.string(),
  level: integer,
  level_str: v.string(),
  message: v.string(),
  source_node: v.string(),
  success: v.nullable(v.boolean()),
  target_node: textOrNull,
  /** Microseconds since 1970 as text; unique and rising within a cluster. */
  time: v.string(),
  user: v.string(),
});
/** Source: the Event resource of the specification. */
export type OpsEvent = Reply<typeof eventReply>;

export const alertEventReply = v.strictObject({
  ...eventReply.entries,
  alert_id: v.string(),
  alert_rule_id: v.string(),
});
export type OpsAlertEvent = Reply<typeof alertEventReply>;

/** The four fields of the specification. */
export const firedReply = v.strictObject({
  alert_rule_id: v.string(),
  current_value: v.number(),
  /** Seconds since 1970 of the transition to firing. */
  first_fired: integer,
  /** An address; empty if the alert is about a whole data center or cluster. */
  node: v.string(),
});

export const alertReply = v.strictObject({
  id: v.string(),
  ...firedReply.entries,
  dc: textOrNull,
  table: textOrNull,
  device: textOrNull,
  level: v.string(),
  state: v.picklist(['firing', 'acknowledged', 'no-data']),
});
export type OpsAlert = Reply<typeof alertReply>;

export const silenceReply = v.strictObject({
  id: v.string(),
  /** All given members must be equal; there is at least one. `rule` is an id, `table` is `keyspace.table`. */
  matchers: v.strictObject({
    rule: v.optional(v.string()),
    node: v.optional(v.string()),
    dc: v.optional(v.string()),
    table: v.optional(v.string()),
  }),
  /** Seconds since 1970, as the end. */
  start: v.number(),
  end: v.number(),
  author: v.string(),
  comment: v.string(),
  state: v.picklist(['pending', 'active', 'expired']),
});
export type OpsSilence = Reply<typeof silenceReply>;
export type SilenceMatchers = OpsSilence['matchers'];

export const deliveryReply = v.strictObject({
  /** Microseconds since 1970 as text; unique and ascending. */
  time: v.string(),
  /** `held` may still be sent, `retrying` will be tried again, the others are final. */
  outcome: v.picklist(['sent', 'held', 'retrying', 'failed', 'dropped']),
  reason: v.string(),
  status: v.picklist(['firing', 'resolved', 'event']),
  /** Null for a notice that was held before it was queued. */
  notice_id: textOrNull,
  channel_id: v.string(),
  /** Type and name of the channel, also if it was removed. */
  channel: v.string(),
  alert_id: textOrNull,
  alert_rule_id: textOrNull,
  /** The rule in words; null for events, and in entries of earlier versions. */
  rule: textOrNull,
  node: textOrNull,
  /** Attempts so far. */
  attempts: v.number(),
});
/** An entry of the delivery log. */
export type OpsDelivery = Reply<typeof deliveryReply>;

export const explanationReply = v.strictObject({
  channel_id: v.string(),
  channel: v.string(),
  /**
   * `excluded`: the channel does not accept the alert; `held`: it is sent when the reason is over; `waiting`: it is
   * queued or tried again; `missing`: nothing was sent.
   */
  state: v.picklist(['notified', 'waiting', 'held', 'failed', 'excluded', 'missing']),
  /** What stopped the notice; null if nothing did. */
  stage: textOrNull,
  reason: v.string(),
  last: v.nullable(deliveryReply),
});
/** What one channel got of an alert. */
export type OpsExplanation = Reply<typeof explanationReply>;

export const channelTrialReply = v.strictObject({
  outcome: v.picklist(['sent', 'failed']),
  reason: v.string(),
});
/** The result of sending a test notice. */
export type ChannelTrial = Reply<typeof channelTrialReply>;

const requestStates = ['queued', 'running', 'success', 'error', 'cancelled'] as const;

export const requestReply = v.strictObject({
  id: v.string(),
  action: v.string(),
  keyspace: v.string(),
  tables: v.array(v.string()),
  state: v.picklist(requestStates),
  created: v.number(),
  started: numberOrNull,
  finished: numberOrNull,
  details: v.array(
    v.strictObject({
      node: v.string(),
      state: v.picklist(requestStates),
      started: numberOrNull,
      finished: numberOrNull,
      detail: v.string(),
    }),
  ),
});
/** A request for an action; times in seconds since 1970. */
export type OpsRequest = Reply<typeof requestReply>;

export const metricKeyReply = v.strictObject({
  key: v.string(),
  label: v.string(),
  group: v.string(),
  is_distribution: v.boolean(),
  unit: v.string(),
  scope: v.picklist(['node', 'table', 'device']),
  source: v.string(),
  available: v.boolean(),
  alias_of: v.optional(v.string()),
});
export type OpsMetricKey = Reply<typeof metricKeyReply>;

export const previewReply = v.strictObject({
  start: v.number(),
  end: v.number(),
  /** Seconds. */
  step: v.number(),
  /** The nodes, tables or devices with stored values of the metric. */
  series: v.number(),
  /** The number of all alerts; the list has the first of them, by the time of firing. */
  count: v.number(),
  alerts: v.array(
    v.strictObject({
      node: v.string(),
      dc: textOrNull,
      table: textOrNull,
      device: textOrNull,
      /** The time is before the range if the alert fired already when the range began. */
      fired: v.number(),
      /** Null if it would still fire at the end of the range. */
      cleared: numberOrNull,
      reason: v.string(),
    }),
  ),
});
/** When a rule would have fired; times in seconds since 1970. */
export type OpsPreview = Reply<typeof previewReply>;

export const clusterConfigReply = v.strictObject({
  id: v.string(),
  cassandra: v.strictObject({
    seed_hosts: v.string(),
    native_port: v.optional(v.number()),
    username: v.optional(v.string()),
    local_datacenter: v.optional(v.string()),
  }),
  actions: v.optional(v.strictObject({ kind: v.string(), port: v.optional(v.number()) })),
  metrics: v.optional(v.strictObject({ prometheus: v.optional(v.string()) })),
});
/** The settings of a cluster without the password. */
export type ShownConfig = Reply<typeof clusterConfigReply>;

export const trialReply = v.strictObject({
  outcome: v.picklist(['connected', 'failed']),
  /** Why it failed; empty if it did not. */
  reason: v.string(),
  /** The nodes that the cluster lists. */
  nodes: v.array(v.omit(nodeReply, ['hostname', 'state', 'last_seen', 'load', 'os'])),
});
/** The result of connecting to a cluster that is not monitored. */
export type ConnectionTrial = Reply<typeof trialReply>;

export const factsReply = v.object({
  version: v.string(),
  dialect: v.picklist(['strict', 'extended']),
  /** The value of `--engine`. */
  engine: v.string(),
  /** Whether the engine can store documents. */
  /** Whether it can, and they are not switched off. */
  hasCollections: v.boolean(),
  /** Whether text indexes can be created. */
  hasTextIndexes: v.boolean(),
  /** Whether users of the cluster can send requests in place of the token. */
  hasClusterUsers: v.boolean(),
  /** Whether the data port requires a token. */
  needsToken: v.boolean(),
  /** The address in links of notices (`--console-url`); empty if they have none. */
  consoleUrl: v.string(),
  /** The address of the data port, for the official clients. */
  dataUrl: v.string(),
  /** Whether the server has users, so that requests need a login. */
  needsLogin: v.boolean(),
  /** The user of the session; empty without one. */
  user: v.string(),
  /** `viewer` or `operator`; empty without a session. */
  role: v.string(),
});
/** What the console adapts to. */
export type ServerFacts = Reply<typeof factsReply>;

/** Times are seconds since 1970. */
export const archiveReply = v.strictObject({
  /** The archive that this server writes to; null if it has none. */
  writes: v.nullable(
    v.strictObject({
      /** The directory, or `s3://bucket/prefix`. */
      archive: v.string(),
      /** Null until one has begun. */
      generation: textOrNull,
      /** The age of the oldest change that the archive lacks, in seconds; null until the archive has been looked at. */
      behind: numberOrNull,
      /** About the bytes of the logs that the archive lacks. */
      waiting: numberOrNull,
      /** When the newest complete copies of both databases were made; null while one lacks. */
      copied: numberOrNull,
      /** What `/health/ready` says about the archive. */
      problem: textOrNull,
      /** The last failure of the shipping, also a short one; null when it works again. */
      failure: textOrNull,
      /** Why writes are refused; null while they are not. */
      refusal: textOrNull,
      lease: v.strictObject({
        /** How often the archive was taken by a server, with this time; 0 while this one has had no lease. */
        term: integer,
        /** Why this server does not have the lease; null while it has. */
        problem: textOrNull,
      }),
    }),
  ),
  /** The archive that this server follows; null if it follows none. */
  follows: v.nullable(
    v.strictObject({
      archive: v.string(),
      generation: textOrNull,
      /** For how many seconds it has not been sure to have everything that the archive has; null if it never was. */
      lag: numberOrNull,
      /** The time of the state that is shown, by the clock of the first server. */
      shown: numberOrNull,
      /** The server that holds the lease of the archive, in words. */
      first: textOrNull,
      /** Whether that server has stopped renewing the lease, for longer than it may write. */
      first_is_silent: v.boolean(),
      /** What `/health/ready` says about it. */
      problem: textOrNull,
      failure: textOrNull,
      /** Whether this server is becoming the first one. */
      is_promoting: v.boolean(),
    }),
  ),
  /** The options of the object store that commands for the archive need; null if it has no such option. */
  endpoint: textOrNull,
  region: textOrNull,
  /** For how many days every moment can be restored. */
  days: integer,
});
/** The archive of a server, or the one that it follows. */
export type OpsArchive = Reply<typeof archiveReply>;

/** Times are seconds since 1970. */
export const archiveRangesReply = v.strictObject({
  archive: v.string(),
  /** Who may write to the archive; null if it has no lease. */
  lease: v.nullable(
    v.strictObject({
      term: integer,
      state: v.picklist(['held', 'released']),
      host: v.string(),
      /** Its data port; empty until it listens. */
      url: v.string(),
      /** Whether it refuses writes while it cannot renew its lease. */
      takeover: v.boolean(),
    }),
  ),
  /** The newest ones, the newest first. */
  generations: v.array(
    v.strictObject({
      generation: v.string(),
      /** Null if it cannot be read, as the two after it. */
      made: numberOrNull,
      made_by: textOrNull,
      reason: textOrNull,
      /** What is damaged or missing; null if nothing is, as far as it was read. */
      problem: textOrNull,
      databases: v.array(
        v.strictObject({
          database: v.picklist(['data', 'ops']),
          /** Every moment from this one to the last can be restored; both null while no copy is complete. */
          from: numberOrNull,
          to: numberOrNull,
          copies: integer,
          last_piece: integer,
        }),
      ),
    }),
  ),
  /** The number of generations that are not listed. */
  older: integer,
});
/** The moments that can be restored from an archive. */
export type OpsArchiveRanges = Reply<typeof archiveRangesReply>;

export const alertSummaryReply = v.strictObject({
  cluster: v.string(),
  firing: v.number(),
  /** How many of the firing ones are neither acknowledged nor silenced. */
  open: v.number(),
  /** The highest level of the open ones; null if there are none. */
  level: textOrNull,
  channels: v.number(),
  notifications_enabled: v.boolean(),
});
/** The alerts of a cluster in numbers. */
export type AlertSummary = Reply<typeof alertSummaryReply>;
