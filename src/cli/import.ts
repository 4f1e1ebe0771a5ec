// `colonnade import`: reads tables from a directory that `colonnade export` wrote, into a running server.
import { join } from 'node:path';
import type { CliCommand, CliOutput } from './cli-command.js';
import { dataPortOptionsHelp } from './data-port.js';
import { importTables } from './moving/import-tables.js';
import { type MoveOptions, readMoveOptions } from './moving/move-options.js';
import {
  leftOutAtEnd,
  type MovingSurroundings,
  misusedMove,
  movingPort,
  runMove,
} from './moving/run-move.js';
import { outputOptionsHelp } from './result-output.js';

/** The command. Its exit codes: 0 all imported, 1 a part is not or the server failed, 2 wrong use, 130 interrupted. */
export function importCommand(surroundings: MovingSurroundings): CliCommand {
  return {
    name: 'import',
    summary: 'reads exported tables and collections into a running server',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misusedMove(output, 'import', options);
      return runImport(options, surroundings, output);
    },
  };
}

interface ImportOptions extends MoveOptions {
  readonly progressPath: string;
  readonly verifies: boolean;
}

function runImport(
  options: ImportOptions,
  surroundings: MovingSurroundings,
  output: CliOutput,
): Promise<number> {
  const { address, keyspace: toKeyspace, ...request } = options;
  return runMove(options, surroundings, output, async (result, report) => {
    const port = movingPort(address, surroundings, result);
    const { refused, different, leftOut } = await importTables(port, { ...request, toKeyspace, report });
    const code = leftOutAtEnd(result, leftOut, options.allowsUnsupported);
    if (refused > 0) result.problem(`${refused} rows were refused`);
    return { code: refused > 0 || different > 0 ? 1 : code, refused };
  });
}

/** The options, or a text with the problem. */
function readOptions(args: readonly string[]): ImportOptions | string {
  const own = { keyspace: 'to-keyspace', texts: ['verify', 'progress'] };
  return readMoveOptions(args, own, (options, { text }) => {
    const verify = text('verify') ?? 'yes';
    if (verify !== 'yes' && verify !== 'no') return `--verify is "${verify}"; it must be yes or no`;
    const progressPath = text('progress') ?? join(options.directory, 'import-progress.json');
    return { ...options, progressPath, verifies: verify === 'yes' };
  });
}

const usage = `Creates the tables and collections of an export on a running server, inserts their rows
and documents, creates indexes, and compares all rows. What exists must have the same
definition; rows with the same key and documents with the same id are overwritten. The
same command continues an interrupted import.

Usage: colonnade import DIRECTORY [OPTIONS]

Options:
  --to-keyspace NAME
      The keyspace to create the tables in. [default: that of the export]
  --tables NAME,NAME
      Only these tables and collections of the export.
  --verify yes|no
      Whether to read the tables again and to compare counts and checksums. [default: yes]
  --progress FILE
      Where the progress is stored. An import to another server at the same time needs
      another file. [default: DIRECTORY/import-progress.json]
  --allow-unsupported
      Leaves out columns that commands cannot create. Exit code 0 also if columns or
      indexes are left out.
${dataPortOptionsHelp}${outputOptionsHelp}
Exit codes: 0 everything is imported, 1 something is left out, refused, different or
failed, 2 the command line cannot be used, 130 interrupted.
`;
