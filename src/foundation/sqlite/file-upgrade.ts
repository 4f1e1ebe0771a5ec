// The upgrade of a file of an earlier release, and its line in the log.
import type { Logger } from '../telemetry/logger.js';

/** A file that was migrated, and the versions of its format before and now. */
export interface FileUpgrade {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** Writes the line of an upgrade to the log. */
export function logUpgrade(logger: Logger, upgrade: FileUpgrade): void {
  logger.info(
    { ...upgrade },
    'the file of an earlier release was upgraded; earlier releases cannot open it any more',
  );
}
