// The interface of a session with a Cassandra cluster. It does not depend on the driver.

import type { AddressPolicy } from '../http/address-policy.js';

/** How a cluster is reached. */
export interface SessionOptions {
  /** Addresses or host names; a data session also takes them with a port, as `host:port` or `[IPv6]:port`. */
  readonly contactPoints: readonly string[];
  /** The CQL port of every node that has no other in `contactPoints`. */
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Time limit for making a connection, and for each query or statement. */
  readonly timeoutMs: number;
  /** Which addresses may be connected to, whether they come from a name, a user or the cluster. Default: all. */
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

/** The result of a query, in the order of its columns; values have the types of the driver. */
export interface CassandraRows {
  /** Types as CQL writes them: `map<text, int>`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Some rows of a result; `next` names the page behind them, null where there is none. */
export interface RowsPage extends CassandraRows {
  readonly next: string | null;
}

/** A session with one cluster, whether it answers or not. */
export interface CassandraSession {
  readonly isConnected: boolean;
  /**
   * Connects if not connected; returns undefined when connected, else the reason. One attempt at a time; never rejects.
   */
  connect(): Promise<string | undefined>;
  /**
   * Connects, also when connected, through the contact points: for a cluster all of whose nodes have new
   * addresses. If it fails, nothing changes. Queries under way are finished in any case.
   */
  reconnect(): Promise<string | undefined>;
  /** The nodes that the cluster lists; empty before the first connection. */
  readonly hosts: readonly SessionHost[];
  /** Runs a query on this node only. @throws CassandraFailure */
  queryNode(address: string, cql: string): Promise<readonly CassandraRow[]>;
  /**
   * Runs a query on any node that answers. Gives at most `pageRows` rows of its result, the first ones or those of the
   * `page` that the page before named. @throws CassandraFailure
   */
  query(cql: string, pageRows: number, page?: string | null): Promise<RowsPage>;
  close(): Promise<void>;
}

/** What went wrong, as far as callers act on it. */
export type CassandraFailureKind =
  /** No node could be asked: nothing was done. */
  | 'unreachable'
  /** The nodes, or this session, have too much to do: nothing was done. */
  | 'overloaded'
  /** Too few of the nodes that have the rows are up: nothing was done. */
  | 'unavailable'
  /** The node dropped the prepared statement again and again, as it does while the table changes: nothing was done. */
  | 'unprepared'
  /** Nodes were asked and did not answer in time: what they did is not known. */
  | 'unanswered'
  /** A node failed while it carried the statement out, which may have been done in part. */
  | 'failed'
  /** The statement is at fault, in the words of the node. */
  | 'refused'
  | 'notPermitted'
  | 'badCredentials'
  /** A change of the schema was carried out, but some nodes do not have it yet. */
  | 'noAgreement';

/** A query that the cluster refused or did not answer. */
export class CassandraFailure extends Error {
  readonly kind: CassandraFailureKind;

  constructor(kind: CassandraFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CassandraFailure';
    this.kind = kind;
  }

  /** Whether a node answered that it will not carry the query out: it is available. */
  get isRefused(): boolean {
    return this.kind === 'refused' || this.kind === 'notPermitted';
  }
}

/** What a node says of a statement whose table, column or keyspace it does not have. */
const missing =
  /do(es not|esn't) exist|unconfigured table|undefined column name|unknown identifier|was not found/i;

/** Whether a refusal says that the node does not have what the statement names. */
export function isOfMissing(refusal: string): boolean {
  return missing.test(refusal);
}
