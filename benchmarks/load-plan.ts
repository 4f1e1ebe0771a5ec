// The messages to and from a load generator.
import type { RequestKind } from './request-kinds.js';

/** One load: it ends after `seconds`, or earlier after `requests` replies. */
export interface LoadPlan {
  readonly port: number;
  readonly request: RequestKind;
  readonly connections: number;
  readonly seconds: number;
  readonly requests?: number;
  /** Requests are due at this rate; without it, each connection sends as soon as it has its reply. */
  readonly ratePerSecond?: number;
  /** Rows in the table that reads look at. */
  readonly rowCount: number;
  /** See `RequestSettings`. */
  readonly place?: string | undefined;
}

/** What came of a load. */
export interface LoadReport {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Replies with another status than 200 or with errors in them, and broken connections. */
  readonly errors: number;
  /** How busy the generator's own thread was, 0 to 1: near 1, the generator is what was measured. */
  readonly generatorShare: number;
}

/** Connections that are opened one after another at a steady rate, each for one request. */
export interface NewConnectionsPlan {
  readonly port: number;
  readonly request: RequestKind;
  readonly seconds: number;
  readonly ratePerSecond: number;
  /** Rows in the table that reads look at. */
  readonly rowCount: number;
}

/** How long they took from the call that opens one to its reply. */
export interface NewConnectionsReport {
  readonly connections: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Failed requests and connections. */
  readonly errors: number;
}
