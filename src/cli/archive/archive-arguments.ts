// What the commands that read archives have in common: their options, and moments as people write them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { archiveName } from '../../archive/format/names.js';
import { timestampText } from '../../files/timestamp-text.js';
import { options } from '../../foundation/config/options.js';

/** The options of the server for object stores, without the dashes. */
export const archiveOptionNames = [
  options.archiveEndpoint.name,
  options.archiveRegion.name,
  options.archiveAccessKey.name,
  options.archiveSecretKey.name,
];

/** Their help. */
export const archiveOptionsHelp = `  --archive-endpoint URL, --archive-region REGION
  --archive-access-key KEY, --archive-secret-key KEY
      The object store of an archive s3://BUCKET/PREFIX, as the server has them. Prefer the
      environment (COLONNADE_ARCHIVE_ACCESS_KEY, COLONNADE_ARCHIVE_SECRET_KEY) or the config file.
`;

/** Whether a text is the address of an archive: of an object store, or of a directory that has one. */
export function isArchive(text: string): boolean {
  return text.startsWith('s3://') || existsSync(join(text, archiveName));
}

/** The line about a folder below `generations/` that is not one of the archive. */
export function noteOfOther(folder: string): string {
  return `note: ${folder} is not a generation, so it is passed over`;
}

/** A moment such as `2026-11-27T10:00:00Z`, in ms since 1970; undefined for other texts. */
export function parseMoment(text: string): number | undefined {
  const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;
  // Without the check of the calendar, the 31st of November would be the 1st of December.
  const isMoment = pattern.test(text) && timestampText(text) !== undefined;
  return isMoment ? Date.parse(text) : undefined;
}

/** A moment as commands print it: `2026-11-27T10:00:00.000Z`. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString();
}
