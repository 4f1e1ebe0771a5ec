// The inputs for opening the parts of the operations service.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { TurnFigures } from '../../foundation/telemetry/turn-watch.js';
import type { DataServiceLink } from '../../ops-service/clusters/data-service-link.js';
import type { OpsThreadData } from './ops-messages.js';

/** The inputs of all parts. */
export interface OpsSurroundings {
  readonly data: OpsThreadData;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataService: DataServiceLink;
  /** Figures about the turns of this thread. */
  readonly turns: () => TurnFigures;
  /** Connections that are open now. */
  readonly connectionCount: () => number;
  /** Called for work that no request causes: then turns are measured often for a while, as after a reply. */
  readonly noteWork: () => void;
}
