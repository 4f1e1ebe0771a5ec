// What a session with a Cassandra cluster is, without the driver that it takes.

import type { AddressPolicy } from '../http/address-policy.js';

/** How a cluster is reached. */
export interface SessionOptions {
  /** Addresses or host names, without ports. */
  readonly contactPoints: readonly string[];
  /** The CQL port of every node. */
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** How long a connection may take to be made, and how long a query may take. */
  readonly timeoutMs: number;
  /** Which addresses may be connected to, whether a name, a user or the cluster leads there. Default: all. */
  readonly policy?: AddressPolicy;
}

/** A node as the cluster describes it. */
export interface SessionHost {
  readonly address: string;
  readonly port: number;
  /** Stays the same when the address changes. */
  readonly hostId: string;
  readonly dc: string | null;
  readonly rack: string | null;
  readonly release: string | null;
}

/** A row by the names of its columns. Integers of 64 bits are `bigint`, absent values null. */
export type CassandraRow = Readonly<Record<string, unknown>>;

/** What a query gave, in the order of its columns; values are the driver's. */
export interface CassandraRows {
  /** Types as CQL writes them: `map<text, int>`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A session with one cluster, whether it answers or not. */
export interface CassandraSession {
  readonly isConnected: boolean;
  /** Tries to connect unless it is; undefined when connected, else why not. One attempt at a time; never rejects. */
  connect(): Promise<string | undefined>;
  /**
   * As `connect`, but again through the contact points also when connected: to a cluster whose nodes have all gone
   * elsewhere. If that fails, nothing changes; queries under way are finished in any case.
   */
  reconnect(): Promise<string | undefined>;
  /** The nodes that the cluster names; empty until it was connected once. */
  readonly hosts: readonly SessionHost[];
  /** Runs a query on this very node. @throws CassandraFailure */
  queryNode(address: string, cql: string): Promise<readonly CassandraRow[]>;
  /** Runs a query on any node that answers, at most `maxRows` rows of its result. @throws CassandraFailure */
  query(cql: string, maxRows: number): Promise<CassandraRows>;
  close(): Promise<void>;
}

/** A query that the cluster refused (`isRefused`: the query is at fault, in its words) or did not answer. */
export class CassandraFailure extends Error {
  readonly isRefused: boolean;

  constructor(message: string, isRefused: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'CassandraFailure';
    this.isRefused = isRefused;
  }
}
