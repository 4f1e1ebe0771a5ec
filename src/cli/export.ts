// `colonnade export`: writes tables of a running server to a directory or a file.
import { type CliCommand, type CliOutput, misused } from './cli-command.js';
import { type ClientSurroundings, dataPortOptionsHelp, openDataPort } from './data-port.js';
import { exportTables } from './moving/export-tables.js';
import { exportFile } from './moving/files/export-file.js';
import {
  type FileOptions,
  fileExportFlags,
  fileTexts,
  readFileOptions,
} from './moving/files/file-options.js';
import { type MoveOptions, readMoveOptions } from './moving/move-options.js';
import { leftOutAtEnd, movingSender, runMove } from './moving/run-move.js';
import { outputOptionsHelp } from './result-output.js';

/** The command. Its exit codes: 0 all exported, 1 a part is not or the server failed, 2 wrong use, 130 interrupted. */
export function exportCommand(surroundings: ClientSurroundings): CliCommand {
  return {
    name: 'export',
    summary: 'writes tables and collections of a running server to a directory or a CSV file',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misused(output, 'export', options);
      return runExport(options, surroundings, output);
    },
  };
}

interface ExportOptions extends MoveOptions {
  readonly isCompressed: boolean;
  /** Undefined to write a directory. */
  readonly file: FileOptions | undefined;
}

function runExport(
  options: ExportOptions,
  surroundings: ClientSurroundings,
  output: CliOutput,
): Promise<number> {
  const { place: directory, address, keyspace = 'default_keyspace', tables, isCompressed, file } = options;
  const named = file === undefined ? { directory } : { file: file.path };
  const repeated = file === undefined ? 'continues' : 'starts again with the first row';
  return runMove({ ...options, named, repeated }, surroundings, output, async (result, report) => {
    const port = openDataPort(address, movingSender(surroundings, result));
    if (file !== undefined) {
      const leftOut = await exportFile(port, keyspace, file, report);
      return { code: leftOutAtEnd(result, leftOut, options.allowsUnsupported), keyspace };
    }
    const leftOut = await exportTables(port, {
      ...{ directory, keyspace, tables, isCompressed, report },
      madeBy: `colonnade ${surroundings.version}`,
      now: new Date(surroundings.clock.nowMs()).toISOString(),
    });
    return { code: leftOutAtEnd(result, leftOut, options.allowsUnsupported), keyspace };
  });
}

/** The options, or a text with the problem. */
function readOptions(args: readonly string[]): ExportOptions | string {
  const own = { keyspace: 'keyspace', texts: fileTexts, flags: ['compress', ...fileExportFlags] };
  return readMoveOptions(args, own, (options, values) => {
    const file = readFileOptions(options, values);
    if (typeof file === 'object' && file.delimiter === '') return '--delimiter none is for an import';
    return typeof file === 'string' ? file : { ...options, isCompressed: values.flag('compress'), file };
  });
}

const usage = `Writes tables and collections of a running server to a directory: definitions, indexes,
rows and documents. The directory must be new; if an export to it was interrupted,
the same command continues it. docs/moving.md describes the files.

With --table or --collection, writes the rows to a single new CSV or NDJSON file.

Usage: colonnade export DIRECTORY [OPTIONS]
       colonnade export FILE --table NAME|--collection NAME [OPTIONS]

Options:
  --keyspace NAME
      [default: default_keyspace]
  --tables NAME,NAME
      Only these tables and collections of the keyspace.
  --compress
      Compresses the files of rows (gzip).
  --allow-unsupported
      Exit code 0 also if columns or indexes are left out that the API cannot move, or
      columns of a file that it cannot read.

Options for a file:
  --table NAME, --collection NAME
      What to write.
  --format csv|ndjson
      [default: by the name of the file, .csv, .tsv, .ndjson or .jsonl; with .gz it is
      compressed]
  --delimiter CHARACTER
      What separates fields of CSV: a character, "tab" or "space". [default: ,]
  --escape-formulas
      Writes ' before texts of CSV that begin with = + - @, a tab or a line break, because
      spreadsheets run them as formulas. An import of the file gets other texts then.

${dataPortOptionsHelp}${outputOptionsHelp}
Exit codes: 0 everything is exported, 1 something is left out or failed,
2 the command line cannot be used, 130 interrupted.
`;
