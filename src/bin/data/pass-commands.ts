// Answers the requests of the operations port for the data service, as the data port answers its own.
import type { CheckedEngine, EngineWatch } from '../../data-service/engine/checked-engine.js';
import type { StorageUsers } from '../../data-service/engine/storage-users.js';
import { createDataRoutes, type DataRoutes, type RouteOptions } from '../../data-service/http/routes.js';
import { GenerationCache } from '../../foundation/generation-cache.js';
import type { HttpReply, HttpRequest } from '../../foundation/http/http-handler.js';
import { MovedResult } from '../../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../../foundation/threads/worker-thread.js';
import type {
  DataServiceCalls,
  PassedCommand,
  PassedReply,
} from '../../ops-service/clusters/data-service-link.js';
import type { SchemaNews } from '../../ops-service/clusters/schema-news.js';
import { schemaNames } from './schema-names.js';

/** Senders whose routes are kept. */
const keptSenders = 64;

/**
 * Answers by the routes of the options, which are made once for each sender. `onSchemaChange` learns who changed the
 * schema.
 */
export function passCommands(
  engine: CheckedEngine,
  options: RouteOptions,
  onSchemaChange: (news: SchemaNews) => void,
): DataServiceCalls['passCommand'] {
  const kept = new GenerationCache<DataRoutes>(keptSenders);
  const routesOf = ({ rights, sender }: PassedCommand): DataRoutes => {
    const key = JSON.stringify([rights, sender.user, sender.address]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const own: Partial<EngineWatch> = {
      onSchemaChange: (message, schema) => onSchemaChange({ message, ...schemaNames(schema), sender }),
    };
    const { token, users } = options;
    const routes = createDataRoutes({
      ...options,
      // A login of the operations port replaces the token of the server, not the credentials of a user of a cluster.
      token: rights === 'token' ? token : undefined,
      isForOperators: true,
      onlyReads: rights === 'viewer',
      engine: engine.watchedBy(own),
      users: users && usersWatchedBy(users, own),
    });
    kept.set(key, routes);
    return routes;
  };
  return async (command, signal) => {
    const request = toRequest(command, signal);
    const routes = routesOf(command);
    const refusal = await routes.answerHead(request);
    if (refusal !== undefined) return moved(refusal);
    return moved(command.body === undefined ? undefined : await routes.answer(request));
  };
}

function usersWatchedBy(users: StorageUsers, own: Partial<EngineWatch>): StorageUsers {
  return {
    isKnown: (user) => users.isKnown(user),
    run: (user, work) => users.run(user, (engine) => work(engine.watchedBy(own))),
    close: () => users.close(),
  };
}

const noBody = Buffer.alloc(0);

function toRequest({ path, headers, sender, body }: PassedCommand, signal: AbortSignal): HttpRequest {
  return {
    method: 'POST',
    path,
    query: '',
    remoteAddress: sender.address,
    header: (name) => headers.get(name),
    body: body === undefined ? noBody : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    onGone: (listener) => (signal.aborted ? listener() : signal.addEventListener('abort', listener)),
  };
}

/** The reply in the form in which it is moved between threads. */
export function moved(reply: HttpReply | undefined): MovedResult<PassedReply> {
  const body = reply?.body ?? '';
  return new MovedResult({ reply }, typeof body === 'string' ? [] : ownMemoryOf(body));
}
