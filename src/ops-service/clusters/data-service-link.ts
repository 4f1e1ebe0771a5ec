// The calls from the operations service to the data service, which runs in another thread.
import { deserialize, serialize } from 'node:v8';
import type { OpsRole } from '../../foundation/config/ops-users.js';
import type { HttpReply } from '../../foundation/http/http-handler.js';
import type { TurnFigures } from '../../foundation/telemetry/turn-watch.js';
import { MovedResult, type ThreadLink } from '../../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../../foundation/threads/worker-thread.js';
import type { Caller } from '../events/event.js';
import type { Losses } from '../store/waiting-recordings.js';
import type { NativeReply, NodeAction, NodeActionOutcome } from './cluster.js';
import type { ProcessFigures } from './process-readings.js';

/** The calls; `src/bin/ops/answer-ops-thread.ts` answers them. Plain data only. */
export interface DataServiceCalls {
  /** The metrics of the process in Prometheus' text format; the argument has those of the operations service. */
  renderMetrics(figures: OpsFigures): Promise<string>;
  /** The counts since the last call; there is only one caller. */
  readMetrics(argument: undefined): Promise<ProcessFigures>;
  /** The packed reply. @throws OpsError as `Cluster.runNative` */
  runNative(query: string, signal: AbortSignal): Promise<MovedResult<Uint8Array>>;
  /**
   * The reply of the data service to a command. Without a body, the reply that refuses its head, if it is refused.
   * @throws OpsError `Unavailable` when no process can answer
   */
  passCommand(command: PassedCommand, signal: AbortSignal): Promise<MovedResult<PassedReply>>;
  /** Runs an action on the engine, to its end or to its next step after the signal is aborted. */
  act(action: Omit<NodeAction, 'node'>, signal: AbortSignal): Promise<NodeActionOutcome>;
  /** Makes a follower the first server. @throws OpsError `Conflict` if it is none, or cannot be promoted now */
  promote(isForced: boolean): Promise<void>;
  /** The moments that the archive of this server has. @throws OpsError `NotFound`, `Unavailable` */
  readRanges(argument: undefined): Promise<ShownRanges>;
  /** The entries of the key store by name, without their secrets. */
  listKeys(argument: undefined): readonly KeyEntry[];
  /** Adds or replaces an entry. If it returns problems, which contain no secret, nothing was changed. */
  putKey(entry: NewKey): Promise<readonly { readonly path: string; readonly message: string }[]>;
  /** Returns whether the entry existed. */
  deleteKey(name: string): Promise<boolean>;
  /** The address of the data port. */
  dataUrl(argument: undefined): string;
  /** Sets why the file of the operations service cannot be written, for the health of the data port. */
  noteOpsProblem(problem: string | undefined): void;
}

/** What an archive has, with times in ms since 1970. */
export interface ShownRanges {
  /** The directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** Who writes to it; undefined if it has no lease. */
  readonly lease:
    | {
        readonly term: number;
        readonly state: 'held' | 'released';
        readonly host: string;
        readonly url: string;
        /** Whether the holder refuses writes while it cannot renew. */
        readonly stopsWrites: boolean;
      }
    | undefined;
  /** The newest ones, the newest first. */
  readonly generations: readonly ShownGeneration[];
  /** The number of older ones. */
  readonly olderCount: number;
}

/** What an archive has of a generation. */
export interface ShownGeneration {
  readonly generation: string;
  /** Undefined if it cannot be read. */
  readonly description:
    | { readonly madeBy: string; readonly madeMs: number; readonly reason: string }
    | undefined;
  readonly ranges: readonly {
    readonly database: 'data' | 'ops';
    /** Every moment from this one to the last can be restored; both undefined while no copy is complete. */
    readonly fromMs: number | undefined;
    readonly toMs: number | undefined;
    readonly copies: number;
    readonly lastPiece: number;
  }[];
  /** A sentence about what is damaged or missing. */
  readonly problem: string | undefined;
}

/** The reply to a command; undefined for a head that is not refused. */
export interface PassedReply {
  readonly reply: HttpReply | undefined;
}

/** A command for the data service that was sent to the operations port. */
export interface PassedCommand {
  /** The path as the data port has it: `/v1/{keyspace}/{table}`, not decoded. */
  readonly path: string;
  /** The headers by their lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  /** Undefined to ask only whether the data service refuses the head. */
  readonly body: Uint8Array | undefined;
  /**
   * What the sender may do: everything as an operator, read as a viewer, or what the data port lets it do with its
   * token.
   */
  readonly rights: OpsRole | 'token';
  readonly sender: Caller;
}

/** An entry of the key store without its secrets. */
export interface KeyEntry {
  readonly name: string;
  /** The names of its secrets. */
  readonly secrets: readonly string[];
  /** The providers that may get it; undefined if the entry names none. */
  readonly providers?: readonly string[];
}

/** An entry to store, not checked yet. */
export interface NewKey {
  readonly name: string;
  readonly secrets: Readonly<Record<string, unknown>>;
}

/** The figures of the operations service for the metrics of the process. */
export interface OpsFigures {
  readonly connections: number;
  /** Replies so far, by HTTP status. */
  readonly replies: ReadonlyMap<number, number>;
  /** The number of recordings that wait because the disk is full. */
  readonly waitingRecordings: number;
  /** The recordings that were discarded because too many waited. */
  readonly lostRecordings: Losses;
  /** Alerts since the start for which no channel is notified, because too many were followed. */
  readonly unfollowedAlerts: number;
  /** The turns of its thread. */
  readonly turns: TurnFigures;
}

/** The link that makes the calls. */
export type DataServiceLink = Pick<ThreadLink<DataServiceCalls, object>, 'call'>;

/** A reply of up to 16 MiB, in a form that is moved between threads, not copied. */
export function packNativeReply(reply: NativeReply): MovedResult<Uint8Array> {
  const packed = serialize(reply);
  return new MovedResult(packed, ownMemoryOf(packed));
}

/** Unpacks a packed reply. */
export function unpackNativeReply(packed: Uint8Array): NativeReply {
  return deserialize(packed) as NativeReply; // packed by `packNativeReply`
}
