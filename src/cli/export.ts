// `colonnade export`: writes tables of a running server to a directory.
import type { CliCommand, CliOutput } from './cli-command.js';
import { dataPortOptionsHelp } from './data-port.js';
import { exportTables } from './moving/export-tables.js';
import { type MoveOptions, readMoveOptions } from './moving/move-options.js';
import {
  leftOutAtEnd,
  type MovingSurroundings,
  misusedMove,
  movingPort,
  runMove,
} from './moving/run-move.js';
import { outputOptionsHelp } from './result-output.js';

/** The command. Its exit codes: 0 all exported, 1 a part is not or the server failed, 2 wrong use, 130 interrupted. */
export function exportCommand(surroundings: MovingSurroundings): CliCommand {
  return {
    name: 'export',
    summary: 'writes tables and collections of a running server to a directory',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misusedMove(output, 'export', options);
      return runExport(options, surroundings, output);
    },
  };
}

interface ExportOptions extends MoveOptions {
  readonly isCompressed: boolean;
}

function runExport(
  options: ExportOptions,
  surroundings: MovingSurroundings,
  output: CliOutput,
): Promise<number> {
  const { directory, address, keyspace = 'default_keyspace', tables, isCompressed } = options;
  return runMove(options, surroundings, output, async (result, report) => {
    const leftOut = await exportTables(movingPort(address, surroundings, result), {
      ...{ directory, keyspace, tables, isCompressed, report },
      madeBy: `colonnade ${surroundings.version}`,
      now: new Date(surroundings.clock.nowMs()).toISOString(),
    });
    return { code: leftOutAtEnd(result, leftOut, options.allowsUnsupported), keyspace };
  });
}

/** The options, or a text with the problem. */
function readOptions(args: readonly string[]): ExportOptions | string {
  const own = { keyspace: 'keyspace', flags: ['compress'] };
  return readMoveOptions(args, own, (options, { flag }) => ({ ...options, isCompressed: flag('compress') }));
}

const usage = `Writes tables and collections of a running server to a directory: definitions, indexes,
rows and documents. The directory must be new; if an export to it was interrupted,
the same command continues it. docs/moving.md describes the files.

Usage: colonnade export DIRECTORY [OPTIONS]

Options:
  --keyspace NAME
      [default: default_keyspace]
  --tables NAME,NAME
      Only these tables and collections of the keyspace.
  --compress
      Compresses the files of rows (gzip).
  --allow-unsupported
      Exit code 0 also if columns or indexes are left out that the API cannot move.
${dataPortOptionsHelp}${outputOptionsHelp}
Exit codes: 0 everything is exported, 1 something is left out or failed,
2 the command line cannot be used, 130 interrupted.
`;
