// Starts the operations thread and communicates with it.
import type { DataProblem, HealthStatus } from '../../foundation/http/health.js';
import type { TlsIdentity } from '../../foundation/http/server.js';
import { type LinkMessage, ThreadLink } from '../../foundation/threads/thread-link.js';
import { type ThreadEnded, WorkerThread } from '../../foundation/threads/worker-thread.js';
import type { KnownUsers } from '../../ops-service/access/users.js';
import type { ArchiveFigures } from '../../ops-service/clusters/archive-watch.js';
import type { DataServiceCalls } from '../../ops-service/clusters/data-service-link.js';
import type { FollowFigures } from '../../ops-service/clusters/follow-watch.js';
import type { SchemaNames, SchemaNews } from '../../ops-service/clusters/schema-news.js';
import { opsErrorForm } from '../../ops-service/errors/ops-error.js';
import type { OpsThreadCalls, OpsThreadData } from './ops-messages.js';

/** The operations service in its thread. */
export interface OpenOpsService {
  /** Opens its file and its port; the result is the URL. */
  start(names: SchemaNames): Promise<string>;
  setHealth(status: HealthStatus): Promise<void>;
  noteDataProblem(noted: DataProblem): void;
  noteArchive(figures: ArchiveFigures): void;
  noteFollow(figures: FollowFigures): void;
  schemaChanged(news: SchemaNews): void;
  renewTls(identity: TlsIdentity): Promise<void>;
  renewUsers(users: KnownUsers): Promise<void>;
  /** Ends streams and connections. */
  stopListening(): Promise<void>;
  /** Records the end and ends the thread. */
  close(): Promise<void>;
}

/** Less than the time in which the whole process must stop, more than the thread's own time limits. */
export const opsCloseTimeoutMs = 3000;

/**
 * A thousand nodes take a tenth of it. V8 lets more garbage accumulate if the limit is higher: with the default limit
 * the thread would hold twice as much memory.
 */
export const opsThreadLimits = { maxOldGenerationSizeMb: 1024 };

/** A started thread. */
export type OpsThread = WorkerThread<LinkMessage, LinkMessage>;

/** Starts the thread; it loads while the caller continues, and opens nothing before `start` is called. */
export function startOpsThread(data: OpsThreadData): OpsThread {
  return new WorkerThread({
    name: 'the operations thread',
    module: new URL('./ops-thread.js', import.meta.url),
    settings: data,
    resourceLimits: opsThreadLimits,
  });
}

/** Connects to the started thread. `onDeath` is called if it ends without a request. */
export function openOpsService(
  thread: OpsThread,
  answers: DataServiceCalls,
  onDeath: (ended: ThreadEnded) => void,
): OpenOpsService {
  const link = new ThreadLink<OpsThreadCalls, DataServiceCalls>(thread, answers, [opsErrorForm]);
  let failure: unknown;
  thread.listen({
    onReply: (message) => link.receive(message),
    onEnd: (ended) => {
      link.end(ended);
      if (ended.wasAsked) failure = ended.cause;
      else onDeath(ended);
    },
  });
  return {
    start: (names) => link.call('start', names),
    setHealth: (status) => link.call('setHealth', status),
    noteDataProblem: (noted) => link.notify('noteDataProblem', noted),
    noteArchive: (figures) => link.notify('noteArchive', figures),
    noteFollow: (figures) => link.notify('noteFollow', figures),
    schemaChanged: (news) => link.notify('schemaChanged', news),
    renewTls: (identity) => link.call('renewTls', identity),
    renewUsers: (users) => link.call('renewUsers', users),
    stopListening: () => link.call('stopListening', undefined),
    close: async () => {
      await thread.close(opsCloseTimeoutMs);
      if (failure !== undefined) throw failure; // the end was not recorded
    },
  };
}
