// Ends the process after an error that was not caught, because its state is then unknown.
import type { Logger } from '../../foundation/telemetry/logger.js';

/** Logs the error and ends the process with code 1. */
export function endOnBugs(logger: Logger): void {
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'an error was not caught; the process ends');
    process.exit(1);
  });
}
