// Finds the route of a request, checks access and writes its answer.
import type {
  AnyReply,
  HttpHandler,
  HttpReply,
  HttpRequest,
  RequestHead,
  WaitingHeadHandler,
} from '../../foundation/http/http-handler.js';
import { writeJson } from '../../foundation/json/write-json.js';
import type { WhenGone } from '../../foundation/limits/work-queue.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { LongWork } from '../../foundation/threads/long-work.js';
import type { AccessLevel, Admission } from '../access/gate.js';
import type { Cluster } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import { writeList } from '../metrics/write-values.js';
import { mostAtOnce, mostWaitingAnswers, resultOf } from './answer-in-steps.js';
import { errorReply, faultReply } from './error-reply.js';
import { announcesBody, readRequest } from './read-request.js';
import { type Route, WholeReply } from './route.js';
import { findRoutes, type RouteTree, routeTree } from './route-tree.js';

/** What the router needs in addition to the routes. */
export interface RouterOptions {
  /** @throws OpsError `NotFound` */
  readonly cluster: (id: string) => Cluster;
  /** Admits the caller; may be called twice for a request. @throws OpsError when the caller may not use the route */
  readonly admit: (head: RequestHead, access: AccessLevel) => Admission;
  /** Why no request may change anything, as a sentence; undefined if they may. */
  readonly whyReadOnly?: string | undefined;
  /** Resolves when everything recorded so far is on disk, or waits in memory because the disk is full. */
  readonly recorded: () => Promise<void>;
  /** Limits the time of long replies in one turn. */
  readonly clock: Clock;
  /** A UUID for each internal error. */
  readonly newId: () => string;
  readonly logger: Logger;
}

/** Answers requests with the routes; never throws. */
export interface Router {
  /** Refuses requests that are not allowed before their bodies are read. */
  readonly answerHead: WaitingHeadHandler;
  readonly answer: HttpHandler<AnyReply>;
}

/** Creates the router of `routes`. */
export function createRouter(routes: readonly Route[], options: RouterOptions): Router {
  const tree = routeTree(routes);
  const work = new LongWork(options.clock, mostWaitingAnswers);
  const failed = (error: unknown, head: RequestHead): HttpReply =>
    error instanceof OpsError ? refuse(error, head, options) : fault(error, head, options);
  return {
    answerHead: (head) => {
      if (!announcesBody(head)) return undefined; // `answer` is called at once
      try {
        const entry = enter(tree, head, options);
        if (!('route' in entry)) return entry;
        if (entry.route.refuseHead === undefined || !announcesLargeBody(head)) return undefined;
        return refuseHead(entry, head).catch((error: unknown) => failed(error, head));
      } catch (error) {
        return failed(error, head);
      }
    },
    answer: async (request) => {
      try {
        return await answer(tree, request, options, work);
      } catch (error) {
        return failed(error, request);
      }
    },
  };
}

/** The first words of all paths, which cannot be ids of clusters. */
export function wordsOfPaths(routes: readonly Route[]): ReadonlySet<string> {
  const first = routes.map(({ path }) => path.split('/')[1] ?? '');
  return new Set(first.filter((word) => !word.startsWith('{')));
}

/** Longer bodies arrive some time after their head. */
const soonBytes = 64 * 1024;

function announcesLargeBody(head: RequestHead): boolean {
  const isInChunks = head.header('transfer-encoding') !== undefined;
  return isInChunks || Number(head.header('content-length') ?? 0) > soonBytes;
}

async function refuseHead({ route, ...entry }: Entry, head: RequestHead): Promise<HttpReply | undefined> {
  const request = { ...requestOf(head, entry), query: {}, body: undefined, whenGone: () => {} };
  return route.refuseHead?.(request);
}

/** The members of a request that its head has. */
function requestOf(head: RequestHead, { params, admission }: Pick<Entry, 'params' | 'admission'>) {
  const header = (name: string) => head.header(name);
  return { ...admission, params, path: head.path, headers: head.headers?.() ?? noHeaders, header };
}

const noHeaders: ReadonlyMap<string, string> = new Map();

/** The route of a request that has been admitted. */
interface Entry {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly admission: Admission;
}

/** The route and the admission of a request, or the reply for a method that the path does not have. @throws OpsError */
function enter(tree: RouteTree, head: RequestHead, options: RouterOptions): Entry | HttpReply {
  const found = findRoutes(tree, head);
  if (found === undefined)
    throw new OpsError('NotFound', `there is nothing at ${head.path}; GET /openapi.json lists what there is`);
  const { routes, params } = found;
  const route = routes.get(head.method === 'HEAD' ? 'GET' : head.method);
  if (route === undefined) return wrongMethod([...routes.keys()]);
  const admission = options.admit(head, route.access);
  if (options.whyReadOnly !== undefined && route.method !== 'GET' && route.changesNothing !== true)
    throw new OpsError('Conflict', options.whyReadOnly);
  return { route, params, admission };
}

async function answer(
  tree: RouteTree,
  request: HttpRequest,
  options: RouterOptions,
  work: LongWork,
): Promise<AnyReply> {
  // Checked again after `answerHead`: a body may take a minute to arrive, and the session may have ended by then.
  const entry = enter(tree, request, options);
  if (!('route' in entry)) return entry;
  const { route } = entry;
  const clusterId = entry.params['cluster_id'];
  const cluster = clusterId === undefined ? undefined : options.cluster(clusterId);
  const read = readRequest(request, route);
  const whenGone: WhenGone = (listener) => request.onGone?.(listener);
  const result = await route.answer({ ...read, ...requestOf(request, entry), whenGone }, cluster);
  // After a reply, the change and its event must survive a crash.
  if (route.method !== 'GET') await options.recorded();
  return toReply(result, route, work, whenGone);
}

async function toReply(result: unknown, route: Route, work: LongWork, whenGone: WhenGone): Promise<AnyReply> {
  if (result instanceof WholeReply) return result.reply;
  const body =
    Array.isArray(result) && result.length > mostAtOnce
      ? await resultOf(work, writeElements(result), whenGone)
      : writeJson(result);
  return { status: route.status ?? 200, contentType: 'application/json', body, headers: noStore };
}

function writeElements(list: readonly unknown[]) {
  return writeList(list.length, (at) => writeJson(list[at] ?? null));
}

/** Replies depend on the time and on the caller. */
const noStore = { 'cache-control': 'no-store' };

function wrongMethod(methods: readonly string[]): HttpReply {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const message = `this path accepts only ${allowed.join(', ')}`;
  return errorReply(new OpsError('MethodNotAllowed', message), { allow: allowed.join(', ') });
}

function refuse(error: OpsError, request: RequestHead, { logger }: RouterOptions): HttpReply {
  if (error.cause !== undefined) {
    const { method, path } = request;
    logger.error({ err: error.cause, method, path, refusal: error.refusal }, 'a request was refused');
  }
  return errorReply(error);
}

function fault(err: unknown, { method, path }: RequestHead, { logger, newId }: RouterOptions): HttpReply {
  const logId = newId();
  logger.error({ err, method, path, logId }, 'a request failed with an internal error');
  return faultReply(logId);
}
