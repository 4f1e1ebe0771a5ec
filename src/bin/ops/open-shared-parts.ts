// Opens the parts of the operations service that all others need: the file, events, access, clusters.
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname, release, type } from 'node:os';
import { resolve } from 'node:path';
import { directoryBytes } from '../../foundation/machine/directory-size.js';
import { readMachine } from '../../foundation/machine/read-machine.js';
import { LoginThrottle } from '../../ops-service/access/login-throttle.js';
import { Sessions } from '../../ops-service/access/sessions.js';
import { Users, usersOf } from '../../ops-service/access/users.js';
import { ArchiveWatch } from '../../ops-service/clusters/archive-watch.js';
import { FollowWatch } from '../../ops-service/clusters/follow-watch.js';
import { LocalCluster, localAddress } from '../../ops-service/clusters/local-cluster.js';
import { LocalMetrics } from '../../ops-service/clusters/local-metrics.js';
import { ClusterRegistry } from '../../ops-service/clusters/registry.js';
import { StorageWatch } from '../../ops-service/clusters/storage-watch.js';
import type { AppendEvent } from '../../ops-service/events/event.js';
import { EventLog } from '../../ops-service/events/event-log.js';
import { EventStreams } from '../../ops-service/http/event-streams.js';
import { findMetricKey } from '../../ops-service/metrics/metric-keys.js';
import { openStore } from '../../ops-service/store/open-store.js';
import { engineModules } from '../engines/registry.js';
import { opsFile } from './ops-messages.js';
import { opsMigrations } from './ops-migrations.js';
import type { OpsSurroundings } from './ops-surroundings.js';

/** The parts, with the surroundings that they were opened in. */
export type SharedParts = ReturnType<typeof openSharedParts>;

/** Opens the file and these parts. @throws DatabaseFailure */
export function openSharedParts(surroundings: OpsSurroundings) {
  const { data, clock, logger, dataService } = surroundings;
  const store = openStore(opsFile(data.opsDir), opsMigrations, logger, data.shippedLogs?.ops);
  const events = new EventLog(store, clock, logger);
  const appendEvent: AppendEvent = events.append;
  const streams = new EventStreams(clock);
  const users = new Users(usersOf(data.config));
  const sessions = new Sessions({
    store,
    clock,
    users,
    newId: () => randomBytes(32).toString('hex'),
    onEnd: (session) => streams.endSession(session),
  });
  const facts = {
    hostname: hostname(),
    os: `${type()} ${release()}`,
    version: data.version,
    metricSource: (key: string) => findMetricKey(key)?.local,
  };
  const storage = new StorageWatch(localAddress, clock, appendEvent);
  const watches = {
    archive: new ArchiveWatch(localAddress, appendEvent),
    follow: new FollowWatch(localAddress, appendEvent),
  };
  const metrics = openLocalMetrics(surroundings);
  const local = new LocalCluster(facts, clock, metrics, dataService, storage, watches);
  const clusters = new ClusterRegistry(local, logger);
  return {
    ...surroundings,
    config: data.config,
    newId: randomUUID,
    random: Math.random,
    ...{ store, events, appendEvent, streams, users, sessions, local, clusters },
    loginThrottle: new LoginThrottle(clock),
  };
}

const noSizes: ReadonlyMap<string, number> = new Map();

/** The metrics of the process and the machine. */
function openLocalMetrics({ data, clock, logger, dataService }: OpsSurroundings): LocalMetrics {
  const dataDir = resolve(data.config.dataDir);
  return new LocalMetrics({
    clock,
    logger,
    dataService,
    readMachine: () => readMachine(dataDir),
    readDataBytes: () => directoryBytes(dataDir, data.opsDir),
    readTableBytes: async (signal) =>
      (await engineModules[data.config.engine].readTableBytes?.(dataDir, signal)) ?? noSizes,
  });
}
