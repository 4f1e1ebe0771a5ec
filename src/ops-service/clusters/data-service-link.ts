// What the operations service asks of the data service, which lives in another thread.
import { deserialize, serialize } from 'node:v8';
import type { TurnFigures } from '../../foundation/telemetry/turn-watch.js';
import { MovedResult, type ThreadLink } from '../../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../../foundation/threads/worker-thread.js';
import type { Losses } from '../store/waiting-recordings.js';
import type { NativeReply, NodeAction, NodeActionOutcome } from './cluster.js';
import type { ProcessFigures } from './process-readings.js';

/** The questions; `src/bin/answer-ops-thread.ts` answers them. Plain data only. */
export interface DataServiceCalls {
  /** The metrics of the process in Prometheus' text format; what they say of the operations service is handed in. */
  renderMetrics(figures: OpsFigures): Promise<string>;
  /** What was counted since this was asked last; one asker only. */
  readMetrics(argument: undefined): Promise<ProcessFigures>;
  /** The packed reply. @throws OpsError as `Cluster.runNative` */
  runNative(query: string): Promise<MovedResult<Uint8Array>>;
  /** Runs an action on the engine, to its end or to its next step after the signal is aborted. */
  act(action: Omit<NodeAction, 'node'>, signal: AbortSignal): Promise<NodeActionOutcome>;
  /** The entries of the key store by name, without their secrets. */
  listKeys(argument: undefined): readonly KeyEntry[];
  /** Adds or replaces an entry; with problems, which hold no secret, nothing is changed. */
  putKey(entry: NewKey): readonly { readonly path: string; readonly message: string }[];
  /** Whether there was one. */
  deleteKey(name: string): boolean;
  /** What keeps the file of the operations service from being written, for the health of the data port. */
  noteOpsProblem(problem: string | undefined): void;
}

/** An entry of the key store as it may be shown. */
export interface KeyEntry {
  readonly name: string;
  /** The names of its secrets. */
  readonly secrets: readonly string[];
}

/** An entry to store, not checked yet. */
export interface NewKey {
  readonly name: string;
  readonly secrets: Readonly<Record<string, unknown>>;
}

/** What the metrics of the process say of the operations service. */
export interface OpsFigures {
  readonly connections: number;
  /** Replies so far, by HTTP status. */
  readonly replies: ReadonlyMap<number, number>;
  /** What waits because the disk is full. */
  readonly waitingRecordings: number;
  /** What was given up because too much waited. */
  readonly lostRecordings: Losses;
  /** Alerts since the start of which no channel is notified, because too many were followed. */
  readonly unfollowedAlerts: number;
  /** Of its thread. */
  readonly turns: TurnFigures;
}

/** Asks them. */
export type DataServiceLink = Pick<ThreadLink<DataServiceCalls, object>, 'call'>;

/** A reply of up to 16 MiB, in a form that the threads on its way only move. */
export function packNativeReply(reply: NativeReply): MovedResult<Uint8Array> {
  const packed = serialize(reply);
  return new MovedResult(packed, ownMemoryOf(packed));
}

/** The reply that was packed. */
export function unpackNativeReply(packed: Uint8Array): NativeReply {
  return deserialize(packed) as NativeReply; // packed above
}
