// The two servers of a run of histories.
import { join } from 'node:path';
import type { CassandraNodes } from '../../../tools/start-cassandra/start-cassandra.js';
import type { RunningServer } from '../../acceptance/start-server.js';
import { startOnCluster } from '../cluster-servers.js';
import { noTrouble, troubledProcess } from './troubles.js';

/** Two servers on the cluster: the first with two workers, the second with a clock that can be wrong. */
export class HistoryServers {
  readonly #cluster: CassandraNodes;
  readonly #library: string;
  readonly #directory: string;
  #first: RunningServer | undefined;
  #second: RunningServer | undefined;
  #clockMs = 0;

  constructor(cluster: CassandraNodes, library: string, directory: string) {
    this.#cluster = cluster;
    this.#library = library;
    this.#directory = directory;
  }

  /**
   * The servers, of which the second has a clock that is so much ahead: it is started again where this changes, because
   * a server keeps the latest time that it has seen. `agreeing`: those whose clocks are right.
   */
  async withClock(
    clockMs: number,
  ): Promise<{ readonly all: readonly RunningServer[]; readonly agreeing: readonly RunningServer[] }> {
    this.#first ??= await startOnCluster(this.#cluster, ['--workers', '2', '--log-level', 'warn']);
    if (clockMs !== this.#clockMs) {
      await this.#second?.stop();
      this.#second = undefined;
    }
    this.#clockMs = clockMs;
    this.#second ??= await this.#startSecond(clockMs);
    const all = [this.#first, this.#second];
    return { all, agreeing: clockMs === 0 ? all : [this.#first] };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#first?.stop(), this.#second?.stop()]);
  }

  #startSecond(clockMs: number): Promise<RunningServer> {
    const process = troubledProcess(this.#library, join(this.#directory, 'troubles-server'));
    process.set({ ...noTrouble, clockMs });
    return startOnCluster(this.#cluster, ['--log-level', 'warn'], process.environment);
  }
}
