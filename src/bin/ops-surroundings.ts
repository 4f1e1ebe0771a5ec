// What the parts of the operations service are opened with.
import type { Clock } from '../foundation/telemetry/clock.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import type { TurnFigures } from '../foundation/telemetry/turn-watch.js';
import type { DataServiceLink } from '../ops-service/clusters/data-service-link.js';
import type { OpsThreadData } from './ops-messages.js';

/** What the parts are opened with. */
export interface OpsSurroundings {
  readonly data: OpsThreadData;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataService: DataServiceLink;
  /** What was seen of the turns of this thread. */
  readonly turns: () => TurnFigures;
  /** Connections that are open now. */
  readonly connectionCount: () => number;
  /** Called when work is done that no request asks for: then turns are watched closely, as after a reply. */
  readonly noteWork: () => void;
}
