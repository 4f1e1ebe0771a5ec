// Notices when the clock of the wall jumps against the one that never falls.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { AppendEvent } from '../events/append-event.js';

/** A smaller difference is the clock being set right little by little. */
const jumpMs = 60_000;

/** Makes the function that looks at both clocks; called every second or so. A jump over 60 s is an event. */
export function watchClock(clock: Clock, appendEvent: AppendEvent, clusterId: string): () => void {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const newOffsetMs = clock.nowMs() - clock.monotonicMs();
    const jumpedMs = newOffsetMs - offsetMs;
    offsetMs = newOffsetMs;
    if (Math.abs(jumpedMs) <= jumpMs) return;
    const seconds = Math.round(Math.abs(jumpedMs) / 1000);
    const message = `the clock jumped ${seconds} seconds ${jumpedMs > 0 ? 'forward' : 'back'}`;
    appendEvent(clusterId, { action: 'clockJumped', level: 'WARN', message });
  };
}
