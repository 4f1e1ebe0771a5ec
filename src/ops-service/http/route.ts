// The interface of a route of the operations service: path, method, parameters, reply and required role.
import type { GenericSchema, InferOutput } from 'valibot';
import type { OpsRole } from '../../foundation/config/ops-users.js';
import type { AnyReply, HttpReply } from '../../foundation/http/http-handler.js';
import type { WhenGone } from '../../foundation/limits/work-queue.js';
import type { AccessLevel } from '../access/gate.js';
import type { Cluster } from '../clusters/cluster.js';
import type { Caller } from '../events/event.js';

/** An admitted request: its cluster exists, and the role and the body have been checked. */
export interface OpsRequest<Query = unknown, Body = unknown> {
  /** The path as it was sent, not decoded and without the query. */
  readonly path: string;
  /** The variable parts of the path, decoded: `{cluster_id}` is `params.cluster_id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** Identifies the session of the caller; undefined without a login. */
  readonly session: string | undefined;
  /** The role of the caller; undefined without a login. */
  readonly role: OpsRole | undefined;
  /** The headers by their lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  header(name: string): string | undefined;
  /** Calls back when the client has disconnected. */
  readonly whenGone: WhenGone;
}

/** The path, method and meaning of a route; the OpenAPI document is generated from these. */
export interface Route<
  Query extends GenericSchema = GenericSchema,
  Body extends GenericSchema = GenericSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/{cluster_id}/alert-rules/{alert_id}`; a trailing slash is tolerated on POST. */
  readonly path: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** The required role: `open` requires none, a `viewer` reads, an `operator` can do everything. */
  readonly access: AccessLevel;
  /**
   * Whether a request changes nothing of this service, although its method is not GET: a server that follows another
   * one answers it. Default: only if the method is GET.
   */
  readonly changesNothing?: boolean;
  /** The schema of the query, whose parameters are strings. Without it no parameter is accepted. */
  readonly query?: Query;
  /** The headers that the answer uses, an object of strings; the answer checks them itself. */
  readonly headers?: GenericSchema;
  /** The schema of the JSON body; all problems are reported together. Without it no body is read. */
  readonly body?: Body;
  /** Whether `body` is the `Buffer` that was sent. Then neither it nor the query is checked. Default: no. */
  readonly takesBytes?: boolean;
  /** Refuses a request whose body is large before it is received; `body` is undefined. @throws OpsError */
  refuseHead?(request: OpsRequest): Promise<HttpReply | undefined>;
  /** The schema of the body for the OpenAPI document, if a lower layer makes the checks of `body`. */
  readonly documentedBody?: GenericSchema;
  /** The schema of the reply's body; `v.null()` if it has no content. */
  readonly reply: GenericSchema;
  /** The content type of the reply in the document, without a character set. Default `application/json`. */
  readonly contentType?: string;
  /** Default 200. */
  readonly status?: 200 | 201;
  /** Returns the reply's body as a JSON value (`undefined` is null), or a `WholeReply`. @throws OpsError */
  answer(request: OpsRequest<InferOutput<Query>, InferOutput<Body>>, cluster: Cluster | undefined): unknown;
}

/** A reply that is not a JSON value: text, bytes, a file, a stream, or a reply with another status. */
export class WholeReply {
  readonly reply: AnyReply;

  constructor(reply: AnyReply) {
    this.reply = reply;
  }
}

/** The cluster of a request. The router passes it to every route whose path has `{cluster_id}`. */
export function needCluster(cluster: Cluster | undefined): Cluster {
  if (cluster === undefined) throw new Error('the path of this route names no cluster');
  return cluster;
}
