// Opens the table data service and its port in this process.

import { tokenOf } from '../../data-service/http/authenticate.js';
import { isOpenToAll } from '../../foundation/config/open-to-all.js';
import { answerHealth, type Health } from '../../foundation/http/health.js';
import { isForForeignHost, isLoopbackHost } from '../../foundation/http/hosts.js';
import type { HttpReply, RequestHead, WaitingHeadHandler } from '../../foundation/http/http-handler.js';
import { type Listener, listen, type TlsIdentity } from '../../foundation/http/server.js';
import { isFromForeignPage } from '../../foundation/http/web-pages.js';
import { isSameSecret } from '../../foundation/secrets/is-same-secret.js';
import type { ProcessParts } from '../parts/open-process-parts.js';
import { type DataServiceOptions, type OpenDataService, openDataService } from './open-data-service.js';

/** What the service and its port need from the process. */
export interface DataSurroundings extends DataServiceOptions {
  readonly parts: ProcessParts;
  /** What the health replies of the port show. */
  readonly health: Health;
  readonly tls: TlsIdentity | undefined;
  /** Open connections at most. */
  readonly maxConnections: number;
}

/** The open service with its port. */
export interface ServedData {
  readonly service: OpenDataService;
  readonly listener: Listener;
}

/** Opens both; the data directory exists and is locked for this server. */
export async function serveData(surroundings: DataSurroundings): Promise<ServedData> {
  const service = await openDataService(surroundings);
  try {
    return { service, listener: await listenForData(surroundings, service) };
  } catch (error) {
    await service.close();
    throw error;
  }
}

function listenForData(surroundings: DataSurroundings, service: OpenDataService): Promise<Listener> {
  const { config, logger, parts, tls, maxConnections } = surroundings;
  const { metrics, turns, watch } = parts;
  if (maxConnections < config.maxConnections)
    logger.warn({ maxConnections }, 'the system lets the process open few files (ulimit -n)');
  const replies = metrics.counter({
    name: 'colonnade_data_http_replies_total',
    help: 'Replies on the data port by HTTP status.',
    labelNames: ['status'],
  });
  const ok = replies.series('200');
  watch.start();
  return listen({
    host: config.host,
    port: config.port,
    tls,
    requestTimeoutMs: config.requestTimeoutSeconds * 1000,
    maxConnections,
    memoryBytes: config.requestMemoryMb * 1024 * 1024,
    logger,
    onReply: (status) => {
      (status === 200 ? ok : replies.series(String(status))).add();
      watch.noteWork();
    },
    onConnection: () => {
      turns.noteConnection();
      watch.noteWork();
    },
    answerHead: dataPortGuard(surroundings, service.answerHead),
    answer: service.answer,
  });
}

/** A web page of another address must not write to the server on a developer's machine, where no token is required. */
function dataPortGuard(
  { config, health, parts }: DataSurroundings,
  answerHead: WaitingHeadHandler,
): WaitingHeadHandler {
  const isOpen = isOpenToAll(config);
  const port = {
    ownHosts: [config.host, ...config.allowedHosts],
    isSecure: config.tlsCert !== undefined,
  };
  const isPrivate = isLoopbackHost(config.host);
  const mayReadProblems = (head: RequestHead) =>
    isPrivate || (config.token !== undefined && isSameSecret(tokenOf(head), config.token));
  return (head) => {
    parts.watch.noteWork(); // sending its body may take longer than the request
    if (isOpen && isFromForeignPage(head, port))
      return forbidden(
        'requests of web pages of other addresses are refused; start with --token to allow them',
      );
    if (isOpen && isForForeignHost(head, port.ownHosts))
      return forbidden(
        'requests for this Host are refused; --allowed-hosts adds names, and --token allows all',
      );
    return answerHealth(head, health, process.pid, mayReadProblems) ?? answerHead(head);
  };
}

function forbidden(problem: string): HttpReply {
  return { status: 403, contentType: 'text/plain; charset=utf-8', body: `${problem}\n` };
}
