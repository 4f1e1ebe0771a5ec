// What the data service asks of a cluster: prepared statements, pages of rows and changes of the schema.
import type { RowsPage, SessionOptions } from './session.js';

/**
 * Reads and writes take LOCAL_QUORUM, searches of vector indexes LOCAL_ONE: more is refused with a warning. A read with
 * LOCAL_SERIAL first ends the conditional writes of its row that nodes have begun, and sees what became of them. What
 * servers of all data centers change takes conditional writes with QUORUM, and reads with SERIAL.
 */
export type CqlConsistency = 'LOCAL_QUORUM' | 'LOCAL_ONE' | 'LOCAL_SERIAL' | 'QUORUM' | 'SERIAL';

/** A statement that is prepared once for each node and text. */
export interface CqlStatement {
  /** With one `?` for each value; texts must be few, because nodes keep them. */
  readonly cql: string;
  /** The bytes of each value as the protocol has them; null for no value. */
  readonly values: readonly (Buffer | null)[];
  /** Whether it may be sent again where its outcome is unknown. */
  readonly isIdempotent: boolean;
  /** Default: LOCAL_QUORUM. */
  readonly consistency?: CqlConsistency | undefined;
  /**
   * Whether it is a write with a condition (`IF`), which the nodes of the local data center decide, or with QUORUM
   * those of all. It is sent once: a second attempt would be compared with what the first one wrote. Absent: no.
   */
  readonly isConditional?: boolean | undefined;
  /** Rows of a page at most, ≥ 1. Default: 1,000. */
  readonly pageRows?: number;
  /** How long it may take, with its wait for a turn and all nodes that are asked, > 0. Default: that of the session. */
  readonly timeoutMs?: number;
  /** Write timestamp in µs since 1970; the later timestamp wins. */
  readonly timestampMicros?: number;
}

/** Some rows of a result. */
export interface CqlPage {
  /** Values as the driver has them, in the order of the SELECT; 64-bit integers are `bigint`. */
  readonly rows: readonly (readonly unknown[])[];
  /** Gives the next page of the same statement; null where there is none. */
  readonly next: string | null;
  /** The size of the answer of the node. */
  readonly bytes: number;
}

/** One node of the cluster. */
export interface CqlNode {
  /** Runs a statement on this node only. @throws CassandraFailure */
  run(statement: CqlStatement, page?: string | null): Promise<CqlPage>;
}

/** The text of a change of the schema, or what makes it: a text with a time is made when it is sent. */
export type ChangeText = string | (() => string);

/** Which part of the result of a text is wanted. */
export interface TextPage {
  /** Rows of the page at most, ≥ 1. */
  readonly pageRows: number;
  /** The page that `run` continues with. */
  readonly page: string | null;
  /** How long a node may take to answer, > 0. */
  readonly timeoutMs: number;
}

/** A session with a cluster as one user. It is there at once, connects by itself and again where it was cut off. */
export interface CqlSession {
  /** Resolves when it is connected. @throws CassandraFailure where the attempt under way, or the last one, failed */
  connected(): Promise<void>;
  /** Whether a node asked who the user is, and accepted the password. */
  readonly isUserChecked: boolean;
  /** @throws CassandraFailure */
  run(statement: CqlStatement, page?: string | null): Promise<CqlPage>;
  /**
   * The nodes of the local data center that seem to be up, at least one, in the order of their ids, which is the same
   * for every server. @throws CassandraFailure
   */
  nodes(): Promise<readonly CqlNode[]>;
  /**
   * Runs any statement as it is written, once, but no change of the schema. `USE` would change the session for
   * everything else and is refused. @throws CassandraFailure
   */
  runText(cql: string, wanted: TextPage): Promise<RowsPage>;
  /**
   * Runs a change of the schema, as it is written, on the first node that answers and whose clock agrees with those of
   * most; before and behind that it waits until all nodes that answer, at least half of `nodes`, have the same schema.
   * The changes of all servers go to one node, because nodes do not agree on an order of changes before they make them.
   * `cql`: a function makes the text behind the first wait, just before it is sent. `timeoutMs`: how long the node may
   * take, > 0; default: 60,000.
   * @throws CassandraFailure: `unavailable` where the nodes have different schemas or clocks before, `noAgreement`
   * where they have different schemas behind, and others
   */
  changeSchema(cql: ChangeText, timeoutMs?: number): Promise<void>;
  /**
   * Whether all nodes that answer, at least half of `nodes`, say that they have the same schema.
   * @throws CassandraFailure where none answers
   */
  isInAgreement(): Promise<boolean>;
  /** Calls the listener after each change of the schema by anyone; an undefined keyspace may be any. */
  onSchemaChange(listener: (keyspace: string | undefined) => void): void;
  /** Calls the listener with the reason when no node can be reached, and with undefined when one can again. */
  onProblem(listener: (problem: string | undefined) => void): void;
  close(): Promise<void>;
}

/** Rows of the driver are objects that have these members already: a value of such a column is lost. */
export const takenColumnNames: ReadonlySet<string> = new Set(['__proto__', '__columns']);

/** How a cluster is reached for its data. */
export interface CqlSessionOptions extends Omit<SessionOptions, 'policy'> {
  /** Only nodes of this data center are asked. */
  readonly localDataCenter: string;
  readonly tls?: CqlTls | undefined;
}

/** Encrypted connections; certificates and keys as PEM. */
export interface CqlTls {
  /** Certificates of the authorities that sign those of nodes. Default: those of the system. */
  readonly authorities?: string | undefined;
  /** What this side shows to nodes that ask for a certificate. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Whether the certificate of a node must name the address that was connected to. */
  readonly checksHosts: boolean;
}
