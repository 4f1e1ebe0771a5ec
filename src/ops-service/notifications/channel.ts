// The interface of a channel, to which notices are delivered, and of the kinds of channels.
import type { Socket } from 'node:net';
import * as v from 'valibot';
import type { ResolveAddress } from '../../foundation/http/checked-lookup.js';
import type { SendRequest } from '../../foundation/http/send-request.js';
import { boundedList } from '../errors/bounded-list.js';
import { labelled } from '../errors/describe-field.js';
import { limitedText } from '../errors/limited-text.js';
import { type LevelName, levelNames } from '../events/event.js';
import type { Notice } from './notice.js';

/** The outcome of an attempt. Reasons contain no secrets. */
export type Delivery =
  | { readonly kind: 'sent'; readonly note?: string }
  | {
      readonly kind: 'retry';
      readonly reason: string;
      /** The receiver requested not to be tried earlier. */
      readonly afterMs?: number;
      /** Whether the receiver may have it, or some addressees have it. */
      readonly mayHaveArrived: boolean;
      /**
       * All addressees that are settled until now: the others get the same notices under the same attempt id. If it is
       * absent, the attempt changed none of them.
       */
      readonly settled?: readonly SettledAddressee[];
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** An addressee that needs no further attempt, for channels with several. */
export interface SettledAddressee {
  readonly address: string;
  /** Why it was refused permanently, without secrets; absent if it has the notices. */
  readonly refusal?: string;
}

/** The network and the clock for channels. */
export interface ChannelSurroundings {
  readonly sendRequest: SendRequest;
  /** Opens a TCP connection to an address that was checked. Rejects with the reason. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>;
  /** The checked address of a host, for protocols without connections. */
  readonly resolve: ResolveAddress;
  /** The time limit of one attempt. */
  readonly timeoutMs: number;
  /** The address of the console that people use, without a slash at its end. Notices have no links without it. */
  readonly consoleUrl?: string | undefined;
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/** A channel ready for delivery. */
export interface Channel {
  /**
   * Makes one attempt; never rejects and has its own time limit. Gets several notices only if the kind joins them.
   * `attemptId` is the same whenever the same notices are tried again. `settled` has the results of earlier attempts.
   */
  deliver(
    notices: readonly Notice[],
    attemptId: string,
    signal: AbortSignal,
    settled?: readonly SettledAddressee[],
  ): Promise<Delivery>;
}

/** Members of all channels. */
export interface ChannelRouting {
  readonly type: string;
  readonly name: string;
  /** Empty for all levels. */
  readonly levels: readonly LevelName[];
  /** Ids of rules; empty for all rules. */
  readonly rules: readonly string[];
  /** Whether it also gets a notice of every event. */
  readonly events: boolean;
}

/** The settings of a channel, as a JSON object; the members depend on the type. */
export type ChannelSettings = ChannelRouting & Readonly<Record<string, unknown>>;

/** How a kind of channel joins notices. */
export interface Joining {
  /** Counted from the first notice. */
  readonly waitMs: number;
  readonly maxNotices: number;
  /**
   * A message opens, repeats or closes one incident of the receiver: all its notices belong to that incident and have
   * the same status. Alerts that begin together share an incident, which closes when the last of them clears.
   */
  readonly intoIncidents: boolean;
}

export interface ChannelKind {
  readonly type: string;
  /**
   * The schema of all its settings, with an entry for each member; unknown members are refused. Replies never contain a
   * member whose field is secret.
   */
  readonly schema: v.GenericSchema<unknown, ChannelSettings> & {
    readonly entries: Readonly<Record<string, v.GenericSchema>>;
  };
  /** URLs of which replies contain only scheme, host and port. */
  readonly secretUrls: readonly string[];
  /** Members that are destinations of notices: when one changes, secrets must be sent again. */
  readonly places: readonly string[];
  /** How waiting notices are joined into one message; absent if each is sent alone. */
  readonly joining?: Joining;
  /**
   * Set if the receiver forgets alerts that are not sent again: each firing alert is sent again after this time,
   * whatever its rule says about repeats, and also when it is acknowledged.
   */
  readonly refreshMs?: number;
  /** Opens the channel for settings that the schema has accepted. */
  open(settings: ChannelSettings, surroundings: ChannelSurroundings): Channel;
}

/** The maximum number of rules of one channel. */
export const mostRules = 200;

/** The first entries of the schemas of all kinds. */
export const routingEntries = {
  name: v.optional(
    labelled(limitedText(100), 'Name', {
      remark: '',
    }),
    '',
  ),
  levels: v.optional(
    labelled(boundedList(v.picklist(levelNames), 100), 'Levels', {
      help: 'the levels that it gets; none means all',
      remark: '(none means all)',
      choices: levelNames.slice(1).map((name) => [name, name] as const),
    }),
    [],
  ),
  rules: v.optional(
    labelled(boundedList(v.pipe(v.string(), v.maxLength(100)), mostRules), 'Rules', {
      help: 'ids of the rules whose alerts it gets; none means all',
      isForPrograms: true,
    }),
    [],
  ),
  events: v.optional(labelled(v.boolean(), 'Also every event of the log'), false),
};

/** Replaces the entry of `routingEntries` for kinds whose receivers accept only alerts. */
export const noEvents = {
  events: v.optional(v.literal(false, 'must be false: the receiver has no form for events'), false),
};
