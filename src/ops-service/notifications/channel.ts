// The channel: something that notices can be delivered to, and what a kind of channel is made of.
import type { Socket } from 'node:net';
import * as v from 'valibot';
import type { ResolveAddress } from '../../foundation/http/checked-lookup.js';
import type { SendRequest } from '../../foundation/http/send-request.js';
import { boundedList } from '../errors/bounded-list.js';
import { type LevelName, levels } from '../events/event.js';
import type { Notice } from './notice.js';

/** How an attempt ended. Reasons hold no secrets. */
export type Delivery =
  | { readonly kind: 'sent'; readonly note?: string }
  | {
      readonly kind: 'retry';
      readonly reason: string;
      /** The receiver asks not to be tried sooner. */
      readonly afterMs?: number;
      /** It is not known whether the receiver has it, or some addressees have it. */
      readonly mayHaveArrived: boolean;
      /** All that are settled by now: the others get the same notices under the same attempt id. Absent: as before. */
      readonly settled?: readonly SettledAddressee[];
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** An addressee of a channel with several that needs no other attempt. */
export interface SettledAddressee {
  readonly address: string;
  /** Why it was refused permanently, in words that hold no secrets; absent: it has the notices. */
  readonly refusal?: string;
}

/** What channels reach the world with. */
export interface ChannelSurroundings {
  readonly sendRequest: SendRequest;
  /** Opens a TCP connection to an address that was checked. Rejects with what went wrong. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>;
  /** The checked address of a host, for what is sent without a connection. */
  readonly resolve: ResolveAddress;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/** A channel ready for delivery. */
export interface Channel {
  /**
   * One attempt, which never rejects and has its own time limit. More than one notice only where the kind joins.
   * `attemptId` is the same whenever the same notices are tried again. `settled` is what earlier attempts gave.
   */
  deliver(
    notices: readonly Notice[],
    attemptId: string,
    signal: AbortSignal,
    settled?: readonly SettledAddressee[],
  ): Promise<Delivery>;
}

/** Members that every channel has. */
export interface ChannelRouting {
  readonly type: string;
  readonly name: string;
  /** Empty: all. */
  readonly levels: readonly LevelName[];
  /** Ids of rules; empty: all. */
  readonly rules: readonly string[];
  /** Whether it is notified of every event, too. */
  readonly events: boolean;
}

/** A channel's settings, as a JSON object; its members depend on the type. */
export type ChannelSettings = ChannelRouting & Readonly<Record<string, unknown>>;

/** How a kind of channel joins notices. */
export interface Joining {
  /** From the first notice on. */
  readonly waitMs: number;
  readonly maxNotices: number;
  /**
   * A message opens, repeats or closes one incident of the receiver: all its notices are about that one, and all of one
   * status. Alerts that begin together share an incident, which closes when the last of them clears.
   */
  readonly intoIncidents: boolean;
}

/** What there is to know of a kind of channel. */
export interface ChannelKind {
  readonly type: string;
  /** Of all its settings; unknown members are refused. */
  readonly schema: v.GenericSchema<unknown, ChannelSettings>;
  /** Members that never come back. */
  readonly secrets: readonly string[];
  /** URLs of which only scheme, host and port come back. */
  readonly secretUrls: readonly string[];
  /** Members that say where notices go: when one changes, secrets must be sent again. */
  readonly places: readonly string[];
  /** Notices that wait are joined into one message. */
  readonly joining: Joining | undefined;
  /**
   * The receiver forgets alerts that are not sent again: each that fires is sent again after so long, whatever its rule
   * says of repeats, and also when it is acknowledged.
   */
  readonly refreshMs: number | undefined;
  /** The channel for settings that the schema has accepted. */
  open(settings: ChannelSettings, surroundings: ChannelSurroundings): Channel;
}

/** The members that settings of a kind may have. */
export function settingEntries({
  schema,
}: Pick<ChannelKind, 'schema'>): Readonly<Record<string, v.GenericSchema>> {
  // Every kind's schema is an object, checked further or not.
  return (schema as unknown as { readonly entries: Readonly<Record<string, v.GenericSchema>> }).entries;
}

/** The level names, least severe first. */
// The keys of an object whose keys are the names.
const levelNames = Object.keys(levels) as LevelName[];

/** Rules that one channel names at most. */
export const mostRules = 200;

/** The entries that the schema of every kind begins with. */
export const routingEntries = {
  name: v.optional(v.pipe(v.string(), v.maxLength(100, 'must have at most 100 characters')), ''),
  levels: v.optional(boundedList(v.picklist(levelNames), 100), []),
  rules: v.optional(boundedList(v.pipe(v.string(), v.maxLength(100)), mostRules), []),
  events: v.optional(v.boolean(), false),
};

/** In place of the entry of `routingEntries`, for kinds whose receivers know alerts only. */
export const noEvents = {
  events: v.optional(v.literal(false, 'must be false: the receiver has no form for events'), false),
};
