// Reports jumps of the wall clock against the monotonic clock.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { measureJumps } from '../../foundation/telemetry/clock-jumps.js';
import type { AppendEvent } from '../events/event.js';

/** Creates a function that compares both clocks; call it about every second. A jump of more than 60 s is an event. */
export function watchClock(clock: Clock, appendEvent: AppendEvent): () => void {
  const takeJump = measureJumps(clock);
  return () => {
    const jumpedMs = takeJump();
    if (jumpedMs === 0) return;
    const seconds = Math.round(Math.abs(jumpedMs) / 1000);
    const message = `the clock jumped ${seconds} seconds ${jumpedMs > 0 ? 'forward' : 'back'}`;
    appendEvent('local', { action: 'clockJumped', level: 'WARN', message });
  };
}
