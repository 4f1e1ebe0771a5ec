// A route of the operations service: one path and method with its parameters, its reply and the role that it requires.
import type { GenericSchema, InferOutput } from 'valibot';
import type { AnyReply } from '../../foundation/http/http-handler.js';
import type { WhenGone } from '../../foundation/limits/work-queue.js';
import type { AccessLevel } from '../access/gate.js';
import type { Cluster } from '../clusters/cluster.js';
import type { Caller } from '../events/event.js';

/** A request that was admitted: its cluster exists, and the role and the body are checked. */
export interface OpsRequest<Query = unknown, Body = unknown> {
  /** The variable parts of the path, decoded: `{cluster_id}` is `params.cluster_id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** Names the session of the caller; undefined without a login. */
  readonly session: string | undefined;
  header(name: string): string | undefined;
  /** Calls back when the client has left. */
  readonly whenGone: WhenGone;
}

/** The path, method and meaning of a route; the OpenAPI document is made of these. */
export interface Route<
  Query extends GenericSchema = GenericSchema,
  Body extends GenericSchema = GenericSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/{cluster_id}/alert-rules/{alert_id}`; a trailing slash is tolerated on POST. */
  readonly path: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** The role that it requires: `open` requires none, a `viewer` reads, an `operator` does all else. */
  readonly access: AccessLevel;
  /** What may stand in the query; parameters come as text. Without it none is accepted. */
  readonly query?: Query;
  /** Headers that the answer reads, an object of texts; the answer checks them itself. */
  readonly headers?: GenericSchema;
  /** What the JSON body must be; every problem is reported at once. Without it no body is read. */
  readonly body?: Body;
  /** What the OpenAPI document shows of the body, where `body` leaves its checks to the layer below. */
  readonly documentedBody?: GenericSchema;
  /** What the reply's body is; `v.null()` where it is empty of information. */
  readonly reply: GenericSchema;
  /** What the document calls the reply's body, without a character set. Default `application/json`. */
  readonly contentType?: string;
  /** Default 200. */
  readonly status?: 200 | 201;
  /** The reply's body as a JSON value (`undefined` is null), or a `WholeReply`. @throws OpsError */
  answer(request: OpsRequest<InferOutput<Query>, InferOutput<Body>>, cluster: Cluster | undefined): unknown;
}

/** What an answer gives instead of a JSON value: text, bytes, a file, a stream, or a reply with another status. */
export class WholeReply {
  readonly reply: AnyReply;

  constructor(reply: AnyReply) {
    this.reply = reply;
  }
}

/** The cluster of a request. The router gives it to every route whose path has `{cluster_id}`. */
export function needCluster(cluster: Cluster | undefined): Cluster {
  if (cluster === undefined) throw new Error('the path of this route names no cluster');
  return cluster;
}
