// Reports the state of the archive to health replies, metrics and the operations service.
import type { ArchiveStatus, ShippingStatus } from '../../archive/shipping/archive-status.js';
import { refusalOf } from '../../archive/shipping/archive-thread-client.js';
import type { DataProblem } from '../../foundation/http/health.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import type { ArchiveFigures } from '../../ops-service/clusters/archive-watch.js';
import { ArchiveOutage } from './archive-outage.js';

/** Who gets the state. */
export interface ArchiveListeners {
  /** Gets the outage of the archive, or that there is none, when it changes. */
  readonly onProblem: (noted: DataProblem) => void;
  readonly onFigures: (figures: ArchiveFigures) => void;
}

const everyMs = 1_000;

/** Reports every second until the result is called. */
export function reportArchive(
  status: () => ShippingStatus | undefined,
  metrics: Metrics,
  { onProblem, onFigures }: ArchiveListeners,
): () => void {
  const outage = new ArchiveOutage(systemClock);
  let reported: string | undefined;
  let reportedRefusal: string | undefined;
  const report = () => {
    const now = status();
    if (now === undefined) return;
    const refusal = refusalOf(now);
    const noted = outage.note(now);
    const problem = refusal === undefined ? noted : undefined; // one sentence about the lease is enough
    if (problem !== reported) onProblem({ part: 'archive', problem });
    reported = problem;
    if (refusal !== reportedRefusal)
      onProblem({ part: 'lease', problem: refusal && `writes are refused: ${refusal}` });
    reportedRefusal = refusal;
    const { archive, generation, problem: failure } = now;
    const { term, problem: leaseProblem } = now.lease;
    const copyAtMs = copyOf(now);
    onFigures({
      archive,
      generation,
      problem,
      refusal,
      failure,
      term,
      leaseProblem,
      copyAtMs,
      ...sumOf(now),
    });
  };
  metrics.gauge(
    {
      name: 'colonnade_archive_behind_seconds',
      help: 'The age of the oldest change that the archive lacks.',
    },
    () => sumOf(status()).behindMs / 1000,
  );
  metrics.gauge(
    { name: 'colonnade_archive_waiting_bytes', help: 'About the bytes of the logs that the archive lacks.' },
    () => sumOf(status()).waitingBytes,
  );
  const timer = setInterval(report, everyMs).unref();
  return () => clearInterval(timer);
}

/** The copy that both databases have. */
function copyOf({ databases: { data, ops } }: ArchiveStatus): number | undefined {
  if (data.copyAtMs === undefined || ops.copyAtMs === undefined) return undefined;
  return Math.min(data.copyAtMs, ops.copyAtMs);
}

/** Not numbers until the archive has been looked at. */
function sumOf(status: ArchiveStatus | undefined) {
  if (status === undefined) return { behindMs: Number.NaN, waitingBytes: Number.NaN };
  const { data, ops } = status.databases;
  return {
    behindMs: Math.max(data.behindMs, ops.behindMs),
    waitingBytes: data.waitingBytes + ops.waitingBytes,
  };
}
