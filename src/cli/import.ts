// `colonnade import`: reads tables from a directory that `colonnade export` wrote, or a file, into a running server.
import { join } from 'node:path';
import type { CliCommand, CliOutput } from './cli-command.js';
import { dataPortOptionsHelp } from './data-port.js';
import {
  type FileImportOptions,
  fileImportTexts,
  readFileImportOptions,
} from './moving/files/file-options.js';
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
    summary: 'reads exported tables and collections, or a CSV file, into a running server',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misusedMove(output, 'import', options);
      const { file } = options;
      if (file === undefined) return runImport(options, surroundings, output);
      return runFileImport(options, file, surroundings, output);
    },
  };
}

interface ImportOptions extends MoveOptions {
  readonly progressPath: string;
  readonly verifies: boolean;
  /** Undefined to read a directory. */
  readonly file: FileImportOptions | undefined;
}

function runImport(
  options: ImportOptions,
  surroundings: MovingSurroundings,
  output: CliOutput,
): Promise<number> {
  const { address, keyspace: toKeyspace, ...request } = options;
  const place = { directory: options.directory };
  return runMove({ ...options, place }, surroundings, output, async (result, report) => {
    const port = movingPort(address, surroundings, result);
    const { refused, different, leftOut } = await importTables(port, { ...request, toKeyspace, report });
    const code = leftOutAtEnd(result, leftOut, options.allowsUnsupported);
    if (refused > 0) result.problem(`${refused} rows were refused`);
    return { code: refused > 0 || different > 0 ? 1 : code, refused };
  });
}

function runFileImport(
  options: ImportOptions,
  file: FileImportOptions,
  surroundings: MovingSurroundings,
  output: CliOutput,
): Promise<number> {
  const { address, keyspace = 'default_keyspace', progressPath, verifies } = options;
  const place = { file: file.path };
  return runMove({ ...options, place }, surroundings, output, async (result, report) => {
    // The parser is loaded only if there is a file to read.
    const { importFile, showGuess } = await import('./moving/files/import-file.js');
    if (file.isDryRun) return { code: 0, ...(await showGuess(file, file, report)) };
    const port = movingPort(address, surroundings, result);
    const request = { file, target: file, keyspace, progressPath, verifies, report };
    const { refused, replaced } = await importFile(port, request);
    if (refused > 0) result.problem(`${refused} rows were refused`);
    if (replaced > 0) result.problem(`${replaced} rows replaced others of the file with the same key`);
    return { code: refused + replaced > 0 ? 1 : 0, keyspace, refused };
  });
}

/** The options, or a text with the problem. */
function readOptions(args: readonly string[]): ImportOptions | string {
  const texts = ['verify', 'progress', ...fileImportTexts];
  const own = { keyspace: 'to-keyspace', texts, flags: ['dry-run'] };
  return readMoveOptions(args, own, (options, values) => {
    const { text } = values;
    const file = readFileImportOptions(options, values);
    if (typeof file === 'string') return file;
    const verify = text('verify') ?? 'yes';
    if (verify !== 'yes' && verify !== 'no') return `--verify is "${verify}"; it must be yes or no`;
    const usualPath =
      file === undefined
        ? join(options.directory, 'import-progress.json')
        : `${file.path}.import-progress.json`;
    return { ...options, progressPath: text('progress') ?? usualPath, verifies: verify === 'yes', file };
  });
}

const usage = `Creates the tables and collections of an export on a running server, inserts their rows
and documents, creates indexes, and compares all rows. What exists must have the same
definition; rows with the same key and documents with the same id are overwritten. The
same command continues an interrupted import.

With --table or --collection, reads the rows of a single CSV or NDJSON file. The types of
CSV columns are guessed from all rows, shown, and used to create the table if it does not
exist. Empty fields are null. Refused rows are reported with their lines.

Usage: colonnade import DIRECTORY [OPTIONS]
       colonnade import FILE --table NAME|--collection NAME [OPTIONS]

Options:
  --to-keyspace NAME
      The keyspace to create the tables in. [default: that of the export;
      default_keyspace for a file]
  --tables NAME,NAME
      Only these tables and collections of the export.
  --verify yes|no
      Whether to read the tables again and to compare counts and checksums; for a file,
      to count the rows. [default: yes]
  --progress FILE
      Where the progress is stored. An import to another server at the same time needs
      another file. [default: DIRECTORY/import-progress.json, FILE.import-progress.json]
  --allow-unsupported
      Leaves out columns that commands cannot create. Exit code 0 also if columns or
      indexes are left out.

Options for a file:
  --table NAME
      The table for the rows.
  --collection NAME
      The collection for the rows, each of which is a document.
  --columns NAME:TYPE,NAME:TYPE
      Corrects types. They are boolean, int, bigint, varint, decimal, double, date,
      timestamp, uuid and text.
  --primary-key NAME,NAME
      Of a new table: the partition key, then clustering columns. Of a collection: the
      column with the ids. [default: id for a table; _id for a collection]
  --delimiter CHARACTER
      What separates fields, or "tab". [default: the comma, semicolon or tab that the
      first line has most often]
  --format csv|ndjson
      [default: by the name of the file, .csv, .tsv, .ndjson or .jsonl, also with .gz]
  --dry-run
      Only shows the guessed types; no server is needed.

${dataPortOptionsHelp}${outputOptionsHelp}
Exit codes: 0 everything is imported, 1 something is left out, refused, different or
failed, 2 the command line cannot be used, 130 interrupted.
`;
