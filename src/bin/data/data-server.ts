// The table data service as the rest of the server sees it: in this process, or in workers.
import { type HealthStatus, noteProblem } from '../../foundation/http/health.js';
import type { TlsIdentity } from '../../foundation/http/server.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import type { MetricValues } from '../../foundation/telemetry/metric-series.js';
import type { TurnFigures } from '../../foundation/telemetry/turn-watch.js';
import type { ProcessFigures } from '../../ops-service/clusters/process-readings.js';
import { countProcess } from '../parts/open-process-parts.js';
import type { OpenDataService } from './open-data-service.js';
import { type DataSurroundings, serveData } from './serve-data.js';

/** The open service and its port. */
export interface DataServer
  extends Pick<OpenDataService, 'names' | 'runNative' | 'passCommand' | 'maintain'> {
  readonly url: string;
  /** Open connections of the port in this process. */
  connectionCount(): number;
  /** Undefined if workers serve the port. */
  turns(): TurnFigures | undefined;
  /** The metrics of the workers, if there are any. */
  workerMetrics(): Promise<readonly MetricValues[]>;
  /** The counts of all processes since the last call. */
  takeFigures(): Promise<ProcessFigures>;
  /** The phase that health replies show. With `stopping`, replies close their connections. */
  setStatus(status: HealthStatus): void;
  /** Why the file of the operations service cannot be written, for health replies. */
  noteOpsProblem(problem: string | undefined): void;
  /** Resolves when every process has the entries of the key store. */
  keysChanged(): Promise<void>;
  renewTls(identity: TlsIdentity): Promise<void>;
  /** Closes the port; requests under way end first. */
  stopListening(): Promise<void>;
  /** Closes the rest. */
  close(): Promise<void>;
}

/** Opens the service in this process. */
export async function openDataServer(surroundings: DataSurroundings): Promise<DataServer> {
  const { parts, health } = surroundings;
  const takeFigures = countProcess(parts.traffic, systemClock);
  const { service, listener } = await serveData(surroundings);
  return {
    url: listener.url,
    names: service.names,
    runNative: service.runNative,
    passCommand: (command, signal) => {
      parts.watch.noteWork();
      return service.passCommand(command, signal);
    },
    maintain: service.maintain,
    connectionCount: () => listener.connectionCount(),
    turns: parts.watch.figures,
    workerMetrics: async () => [],
    takeFigures: async () => takeFigures(),
    setStatus: (status) => {
      health.status = status;
      if (status === 'stopping') listener.closeConnectionsAfterReplies();
    },
    noteOpsProblem: (problem) => noteProblem(health, 'ops', problem),
    keysChanged: async () => {}, // the service reads the store itself
    renewTls: async (identity) => listener.renewTls(identity),
    stopListening: () => listener.close(),
    close: () => service.close(),
  };
}
