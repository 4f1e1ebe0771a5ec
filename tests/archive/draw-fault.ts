// Random faults of a store.
import type { SeededRandom } from '../seeded-random.js';
import type { ProxyFault } from './faulty-proxy.js';

/** Every kind of fault, to draw from. */
const proxyFaultKinds: readonly ProxyFault['kind'][] = [
  ...(['slow', 'status', 'cutUpload', 'cutReply', 'lostReply', 'wrongClock', 'refused'] as const),
];

/** Draws a fault that leaves some requests undisturbed, or none. */
export function drawFault(random: SeededRandom): ProxyFault {
  const kind = random.pick(proxyFaultKinds);
  const share = random.pick([0.2, 0.6, 1]);
  switch (kind) {
    case 'slow':
      return { kind, share, delayMs: random.pick([50, 400, 2_000]) };
    case 'status':
      return { kind, share, status: random.pick([500, 503]) };
    case 'refused':
      return { kind };
    case 'cutUpload':
    case 'cutReply':
    case 'lostReply':
    case 'wrongClock':
      return { kind, share };
  }
}
