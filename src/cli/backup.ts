// `colonnade backup`: copies the data of a server, which may run, to a directory.
import { rowsFileOf } from '../foundation/config/engines/registry.js';
import {
  oneDirectory,
  runOnStorage,
  type StorageSurroundings,
  storageOptionsHelp,
} from './backup/storage-command.js';
import type { CliCommand } from './cli-command.js';
import { sizeText } from './result-output.js';

/** The command. Its exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted. */
export function backupCommand(surroundings: StorageSurroundings): CliCommand {
  return {
    name: 'backup',
    summary: 'copies the data of a server, which may run, to a directory',
    help: () => usage,
    run: (args, output) =>
      runOnStorage('backup', args, oneDirectory('the one to make'), surroundings, output, async (run) => {
        const { layout, output: result, interrupted } = run;
        const target = run.argument ?? '';
        const { makeBackup } = await import('./backup/make-backup.js');
        const { files, madeAt } = await makeBackup({
          ...{ layout, target, interrupted },
          madeBy: `colonnade ${surroundings.version}`,
          clock: surroundings.clock,
          onDamage: (problem) => result.problem(problem),
          onProgress: (share) => result.progress('backup', share),
        });
        for (const { name, path, content } of layout.databases)
          if (!files.some((file) => file.name === name))
            result.problem(
              `warning: there is no ${path}, so this backup has no ${content}: if the server has an --ops-dir, give it`,
            );
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
        if (rowsFileOf(layout.engine) === undefined)
          result.problem(
            'warning: the rows are in the cluster, and not in this backup: back up the cluster, too',
          );
        result.line(`${target}: ${files.length} files, ${sizeText(bytes)}`);
        return result.end(0, { directory: target, madeAt, files: files.length, bytes });
      }),
  };
}

const usage = `Copies the data of a server to a new directory: rows, documents, vectors, operations data,
and the secrets and the key store. The server may run, and writes continue: the rows and
documents are those of one moment, the operations data are of nearly the same. Run it on
the machine of the server, as the user of the server. docs/backups.md has more.

Usage: colonnade backup DIRECTORY [OPTIONS]

Options:
${storageOptionsHelp}
Exit codes: 0 the backup is complete and on disk, 1 failed: there is no backup, 2 the
command line cannot be used, 130 interrupted: there is no backup.
`;
