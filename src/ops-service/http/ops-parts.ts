// The parts that the routes of the operations service use; each file of routes takes some of them.
import type { ServerFacts } from '../../descriptions/operations-replies.js';
import type { Health } from '../../foundation/http/health.js';
import type { EncodedFiles } from '../../foundation/http/http-handler.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { MetricsAccess } from '../access/gate.js';
import type { LoginThrottle } from '../access/login-throttle.js';
import type { Sessions } from '../access/sessions.js';
import type { Users } from '../access/users.js';
import type { RequestQueue } from '../actions/request-queue.js';
import type { FiredAlerts } from '../alerts/fired-alerts.js';
import type { RecentChanges } from '../alerts/recent-changes.js';
import type { RuleRepository } from '../alerts/rule-repository.js';
import type { ClusterRepository } from '../clusters/cluster-repository.js';
import type { DataServiceLink, OpsFigures } from '../clusters/data-service-link.js';
import type { LocalCluster } from '../clusters/local-cluster.js';
import type { ClusterRegistry } from '../clusters/registry.js';
import type { EventLog } from '../events/event-log.js';
import type { Series } from '../metrics/series.js';
import type { Notifications } from '../notifications/notifications.js';
import type { Store } from '../store/store.js';
import type { EventStreams } from './event-streams.js';

export interface ConsoleFile {
  /** Its name in `/console/`; the name changes with the content. */
  readonly name: string;
  /** The path on disk. */
  readonly file: string;
  readonly encodedFiles: EncodedFiles;
}

/** The built console. */
export interface ConsoleFiles {
  /** The path of the page. */
  readonly page: string;
  readonly files: readonly ConsoleFile[];
  /** Whether they are still those of the start: a build or an update replaces them while the server runs. */
  readonly areUnchanged: () => boolean;
}

/** What the console adapts to, as far as the configuration says it. */
export type ConsoleFacts = Omit<ServerFacts, 'version' | 'dataUrl' | 'needsLogin' | 'user' | 'role'>;

/** What the configuration says about archives. */
export interface ArchiveFacts {
  /** The archive that this server writes to; undefined if it has none. */
  readonly archive: string | undefined;
  /** The archive that it follows; undefined if it follows none. */
  readonly follow: string | undefined;
  /** The options of the object store. */
  readonly archiveEndpoint: string | undefined;
  readonly archiveRegion: string | undefined;
  readonly archiveDays: number;
}

export interface OpsParts {
  readonly version: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly health: Health;
  /** The figures of the operations service for the metrics. */
  readonly figures: () => OpsFigures;
  readonly metricsAccess: MetricsAccess;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly loginThrottle: LoginThrottle;
  /** Whether the port uses TLS: then the cookie always gets the attribute `Secure`. */
  readonly isSecure: boolean;
  /** Undefined when the package was built without it. */
  readonly consoleFiles: ConsoleFiles | undefined;
  readonly consoleFacts: ConsoleFacts;
  readonly dataService: DataServiceLink;
  /** The archive of this server, or the one that it follows, as the configuration names them. */
  readonly archiveFacts: ArchiveFacts;
  /** How far the archive is, and how far this server is that follows one. */
  readonly local: Pick<LocalCluster, 'archive' | 'follow'>;
  readonly clusters: ClusterRegistry;
  readonly clusterRepository: ClusterRepository;
  readonly events: EventLog;
  readonly streams: EventStreams;
  readonly series: Series;
  readonly rules: RuleRepository;
  readonly alerts: FiredAlerts;
  readonly recentChanges: RecentChanges;
  readonly requests: RequestQueue;
  readonly notifications: Notifications;
}
