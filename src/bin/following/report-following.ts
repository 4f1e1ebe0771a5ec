// Reports how far a follower is behind to health replies, metrics and the operations service.
import type { FollowStatus } from '../../archive/following/follow-status.js';
import type { DataProblem } from '../../foundation/http/health.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import type { FollowFigures } from '../../ops-service/clusters/follow-watch.js';
import type { Following } from './open-following.js';

/** Who gets the state. */
export interface FollowReportListeners {
  readonly onProblem: (noted: DataProblem) => void;
  readonly onFigures: (figures: FollowFigures) => void;
}

const everyMs = 1_000;

/** Reports every second until the result is called. */
export function reportFollowing(
  { status, isPromoting }: Following,
  metrics: Metrics,
  { onProblem, onFigures }: FollowReportListeners,
): () => void {
  let reported: string | undefined;
  metrics.gauge(
    {
      name: 'colonnade_follow_lag_seconds',
      help: 'For how long this server has not been sure to have everything that the archive has.',
    },
    () => (status()?.lagMs ?? Number.NaN) / 1000,
  );
  const report = () => {
    const now = status();
    if (now === undefined) return;
    const problem = lagProblem(now);
    if (problem !== reported) onProblem({ part: 'follow', problem });
    reported = problem;
    const { archive, generation, lagMs, toMs, first, problem: failure } = now;
    onFigures({
      ...{ archive, generation, lagMs, toMs, problem, failure, isPromoting: isPromoting() },
      ...{ first: first?.name, isFirstSilent: first?.isSilent === true },
    });
  };
  report();
  const timer = setInterval(report, everyMs).unref();
  return () => clearInterval(timer);
}

/** A follower is at most three seconds behind; this is more than a short outage or a large transaction. */
const mostLagMs = 10_000;

/** Why the follower is too far behind, in words; undefined if it is not. */
function lagProblem({ archive, lagMs, first, problem }: FollowStatus): string | undefined {
  const reason = problem === undefined ? '' : `: ${problem}`;
  if (lagMs === undefined)
    return `it is not known how far reads are behind the archive ${archive}, since this server started${reason}`;
  // A server that may lack something must not be promoted without a look at the reason.
  if (lagMs <= mostLagMs && problem === undefined && first?.isSilent === true) {
    const silent = `${first.name} has stopped renewing its lease of the archive ${archive}`;
    if (!first.needsForce) return `${silent}: colonnade promote replaces it`;
    return `${silent}: colonnade promote --force replaces it when you have made sure that it has stopped`;
  }
  if (lagMs <= mostLagMs) return undefined;
  const seconds = Math.round(lagMs / 1000);
  return `reads may be more than ${seconds} s behind the archive ${archive}${reason}`;
}
