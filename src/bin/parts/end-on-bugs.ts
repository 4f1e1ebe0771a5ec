// Ends the process after an error that was not caught, because its state is then unknown.
import type { Logger } from '../../foundation/telemetry/logger.js';
import { endProcess } from './end-process.js';

/** Logs the error and ends the process with code 1. `isKept`: see `endProcess`. */
export function endOnBugs(logger: Logger, isKept: () => boolean = () => false): void {
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'an error was not caught; the process ends');
    endProcess(1, isKept());
  });
}
