// What a measurement of `npm run bench:ops` is.
import { fileURLToPath } from 'node:url';
import type { Figure } from './figures.js';

/** How a measurement runs. */
export interface OpsMeasurementOptions {
  /** For its files; it is not there yet and is removed afterwards. */
  readonly directory: string;
  /** 1 is what the targets are for; less makes it shorter. */
  readonly scale: number;
}

/** Measures and gives its figures. */
export type OpsMeasurement = (options: OpsMeasurementOptions) => Promise<readonly Figure[]>;

/** The built server. */
export const serverEntry = fileURLToPath(new URL('../server/colonnade.js', import.meta.url));
