// `colonnade restore`: makes a data directory from a backup, or of a moment that an archive has.
import { join } from 'node:path';
import { rowsFileOf } from '../foundation/config/engines/registry.js';
import {
  archiveOptionNames,
  archiveOptionsHelp,
  isArchive,
  momentText,
  parseMoment,
} from './archive/archive-arguments.js';
import {
  type GivenArguments,
  runOnStorage,
  type StorageRun,
  type StorageSurroundings,
  storageOptionsHelp,
} from './backup/storage-command.js';
import { type StorageLayout, StorageProblem } from './backup/storage-layout.js';
import type { CliCommand } from './cli-command.js';
import { sizeText } from './result-output.js';

/** The command. Its exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted. */
export function restoreCommand(surroundings: StorageSurroundings): CliCommand {
  return {
    name: 'restore',
    summary: 'makes a data directory from a backup or an archive',
    help: () => usage,
    run: (args, output) =>
      runOnStorage('restore', args, accepted, surroundings, output, (run) => {
        const { from, at } = run.values;
        return from === undefined
          ? restoreBackup(run)
          : restoreArchive(from, at === undefined ? undefined : parseMoment(at), run, surroundings);
      }),
  };
}

const accepted = { values: ['from', 'at'], ofServer: archiveOptionNames, problem: problemOf };

function problemOf({ argument, values: { from, at } }: GivenArguments): string | undefined {
  if (from === undefined && at !== undefined)
    return '--at needs --from ARCHIVE: a backup has one moment only';
  if (from === undefined && argument === undefined)
    return 'give one directory: the backup; or an archive: --from ARCHIVE';
  if (from !== undefined && argument !== undefined)
    return `give --from ${from} or the backup ${argument}, not both`;
  if (at !== undefined && parseMoment(at) === undefined)
    return `--at ${at} is not a moment: write it as 2026-11-27T10:00:00Z, with up to three digits of a second`;
  return undefined;
}

async function restoreBackup({
  argument = '',
  layout,
  output: result,
  interrupted,
}: StorageRun): Promise<number> {
  if (isArchive(argument)) throw new StorageProblem(`${argument} is an archive: use --from ${argument}`);
  const backups = await import('./backup/restore-backup.js');
  const { files, madeAt, madeBy } = await backups.restoreBackup({
    ...{ layout, interrupted, backup: argument },
    onProgress: (share) => result.progress('restore', share),
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const { dataDir, opsDir } = layout;
  result.line(
    `${dataDir}: ${files.length} files, ${sizeText(bytes)}, of the backup of ${madeAt} by ${madeBy}`,
  );
  for (const { name, content } of layout.databases)
    if (!files.some((file) => file.name === name)) result.problem(`warning: the backup has no ${content}`);
  result.line(`Start a server on it: ${serveCommandOf(layout)}`);
  return result.end(0, { dataDir, opsDir, madeAt, files: files.length, bytes });
}

async function restoreArchive(
  from: string,
  atMs: number | undefined,
  { config, layout, output: result, interrupted }: StorageRun,
  { openArchive, clock }: StorageSurroundings,
): Promise<number> {
  if (atMs !== undefined && atMs > clock.nowMs())
    throw new StorageProblem(`${momentText(atMs)} is in the future: leave --at out for the newest state`);
  const archives = await import('./archive/restore-archive.js');
  const store = await openArchive(from, config);
  // Before the archive is read: what another server writes from now on is not a part of what the first one left.
  const hasEnded = atMs === undefined && (await archives.hasServerEnded(store, clock, interrupted));
  const restored = await archives.restoreArchive({
    ...{ store, atMs, layout, interrupted },
    onProgress: (share) => result.progress('restore', share),
  });
  const unnoted = archives.noteRestored(restored, layout);
  const { point, databases, files, bytes } = restored;
  const { dataDir, opsDir } = layout;
  const { generation } = point.generation;
  const rows = databases.find(({ database }) => database === 'data');
  if (rows === undefined) throw new Error('an archive was restored without rows');
  const [stateAt, completeUntil] = [momentText(rows.toMs), momentText(rows.completeMs)];
  result.line(
    `${dataDir}: ${files} files, ${sizeText(bytes)}, as of ${stateAt}, of ${generation} in ${store.title}`,
  );
  for (const warning of archives.warningsOf(restored)) result.problem(`warning: ${warning}`);
  if (unnoted !== undefined)
    result.problem(`warning: the first start copies the whole databases to the archive, because ${unnoted}`);
  // Behind the last piece there may have been writes that the archive never got, and behind another one writes that it
  // got later.
  const isAll = hasEnded && point.isNewest && point.withoutCopy.length === 0;
  const unknownMs = isAll ? 0 : Math.max(0, (atMs ?? clock.nowMs()) - rows.completeMs);
  if (isAll)
    result.line('Every write is there: the server of the archive has ended, and shipped everything before.');
  else if (unknownMs > 0) result.line(completenessLine(completeUntil, unknownMs, atMs, point.isNewest));
  result.line(`Start a server on it: ${serveCommandOf(layout)} --archive ${shellWord(from)}`);
  const { isNewest } = point;
  return result.end(0, {
    ...{
      dataDir,
      opsDir,
      archive: store.title,
      generation,
      stateAt,
      isNewest,
      completeUntil,
      unknownMs,
      files,
      bytes,
    },
  });
}

/** Until when every write is there, and what may be missing of the time after it. */
function completenessLine(
  until: string,
  unknownMs: number,
  atMs: number | undefined,
  isNewest: boolean,
): string {
  const whole = `Every write until ${until} is there.`;
  const place = atMs === undefined ? 'since then' : `from then to ${momentText(atMs)}`;
  const span = `${(unknownMs / 1000).toFixed(1)} s ${place}`;
  if (isNewest)
    return `${whole} Nothing was shipped in the ${span}: the server wrote nothing, or could not ship it.`;
  return `${whole} What was written in the ${span}, if anything, may be missing.`;
}

function serveCommandOf({ dataDir, opsDir, engine }: StorageLayout): string {
  const own = opsDir === join(dataDir, 'ops') ? '' : ` --ops-dir ${shellWord(opsDir)}`;
  const rows = rowsFileOf(engine) === undefined ? ' and the options of its cluster' : '';
  return `colonnade serve --data-dir ${shellWord(dataDir)}${own}${rows}`;
}

/** A path as one word of a command line. */
function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const usage = `Makes a data directory from a backup, or with --from of a moment that an archive has. Every
file is compared with its checksum. The data directory must not exist or be empty: nothing
is overwritten. If the command is killed, a server refuses the directory, and the same
command begins again.

Usage: colonnade restore BACKUP [OPTIONS]
       colonnade restore --from ARCHIVE [--at MOMENT] [OPTIONS]

Options:
  --from ARCHIVE
      A directory or s3://BUCKET/PREFIX; colonnade archives lists what it has.
  --at MOMENT
      Restores the last state at or before this moment, such as 2026-11-27T10:00:00Z.
      [default: the newest state]
${archiveOptionsHelp}${storageOptionsHelp}
Exit codes: 0 the data directory is complete, 1 failed: there is no data directory, 2 the
command line cannot be used, 130 interrupted.
`;
