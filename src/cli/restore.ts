// `colonnade restore`: makes a data directory from a backup.
import { join } from 'node:path';
import { rowsFileOf } from '../foundation/config/engines/registry.js';
import { runOnStorage, type StorageSurroundings, storageOptionsHelp } from './backup/storage-command.js';
import type { StorageLayout } from './backup/storage-layout.js';
import type { CliCommand } from './cli-command.js';
import { sizeText } from './result-output.js';

/** The command. Its exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted. */
export function restoreCommand(surroundings: StorageSurroundings): CliCommand {
  return {
    name: 'restore',
    summary: 'makes a data directory from a backup',
    help: () => usage,
    run: (args, output) =>
      runOnStorage('restore', args, 'the backup', surroundings, output, async (run) => {
        const { layout, output: result, interrupted } = run;
        const { restoreBackup } = await import('./backup/restore-backup.js');
        const { files, madeAt, madeBy } = await restoreBackup({
          ...{ layout, interrupted, backup: run.directory ?? '' },
          onProgress: (share) => result.progress('restore', share),
        });
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
        result.line(
          `${layout.dataDir}: ${files.length} files, ${sizeText(bytes)}, of the backup of ${madeAt} by ${madeBy}`,
        );
        result.line(`Start a server on it: ${serveCommandOf(layout)}`);
        return result.end(0, {
          dataDir: layout.dataDir,
          opsDir: layout.opsDir,
          madeAt,
          files: files.length,
          bytes,
        });
      }),
  };
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

const usage = `Makes a data directory from a backup. Every file is compared with its checksum. The data
directory must not exist or be empty: nothing is overwritten. If the command is killed,
a server refuses the directory, and the same command begins again.

Usage: colonnade restore BACKUP [OPTIONS]

Options:
${storageOptionsHelp}
Exit codes: 0 the data directory is complete, 1 failed: there is no data directory, 2 the
command line cannot be used, 130 interrupted.
`;
