// What the tasks of maintenance work with and have in common.
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import type { MaintenanceReport } from '../../maintenance.js';
import type { SchemaHolder } from '../schema/schema-holder.js';
import type { VectorIndexes } from '../vectors/vector-indexes.js';
import type { Writer } from '../writes/writer.js';

/** What maintenance works with. */
export interface MaintenanceParts {
  /** The data file. */
  readonly path: string;
  readonly writer: Pick<Writer, 'runStep'>;
  readonly vectors: Pick<VectorIndexes, 'rebuild'>;
  readonly clock: Clock;
  /** Resolves after some time. */
  readonly pause: (ms: number) => Promise<void>;
  readonly schema: Pick<SchemaHolder, 'current' | 'noteEmptied'>;
}

/** What is reported of a task that was stopped. */
export const cancelled: MaintenanceReport = { state: 'cancelled', detail: 'stopped between two steps' };
