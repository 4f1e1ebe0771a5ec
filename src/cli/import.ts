// `colonnade import`: reads tables of an export, of another server or of a file into a running server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type CliCommand, type CliOutput, misused } from './cli-command.js';
import { type ClientSurroundings, type DataAddress, dataPortOptionsHelp, openDataPort } from './data-port.js';
import { exportSource } from './moving/export-source.js';
import {
  type FileImportOptions,
  fileImportFlags,
  fileImportLists,
  fileImportTexts,
  readFileImportOptions,
} from './moving/files/file-options.js';
import type { FileOutcome } from './moving/files/import-file.js';
import { type FromOptions, fromTexts, fromUrls, readFromOptions } from './moving/from-options.js';
import { importTables } from './moving/import-tables.js';
import { type MoveOptions, readMoveOptions } from './moving/move-options.js';
import { failedText } from './moving/move-report.js';
import { nativeReader } from './moving/public/native-rows.js';
import { publicSource } from './moving/public/public-source.js';
import type { RowSource } from './moving/row-source.js';
import { leftOutAtEnd, movingSender, runMove } from './moving/run-move.js';
import { serverSource } from './moving/server-source.js';
import { progressPathOf } from './moving/sources/source-names.js';
import { outputOptionsHelp, type ResultOutput } from './result-output.js';

/** What the command needs from the process. */
export interface ImportSurroundings extends ClientSurroundings {
  /** Standard input, which is read only if it is the source. */
  readonly input: () => Readable;
}

/** The command. Its exit codes: 0 all imported, 1 a part is not or the server failed, 2 wrong use, 130 interrupted. */
export function importCommand(surroundings: ImportSurroundings): CliCommand {
  return {
    name: 'import',
    summary: 'reads tables of an export, another server, a CSV or a JSON file into a running server',
    help: () => usage,
    run: async (args, output) => {
      const options = readOptions(args);
      if (typeof options === 'string') return misused(output, 'import', options);
      const { file } = options;
      if (file === undefined) return runImport(options, surroundings, output);
      return runFileImport(options, file, surroundings, output);
    },
  };
}

interface ImportOptions extends MoveOptions {
  readonly progressPath: string;
  readonly verifies: boolean;
  /** Undefined to read no other server. */
  readonly from: FromOptions | undefined;
  /** Undefined to read no file. */
  readonly file: FileImportOptions | undefined;
}

function runImport(
  options: ImportOptions,
  surroundings: ClientSurroundings,
  output: CliOutput,
): Promise<number> {
  const { address, keyspace: toKeyspace, tables: names, place, from, ...request } = options;
  const named = from === undefined ? { directory: place } : { from: from.address.url };
  return runMove({ ...options, named }, surroundings, output, async (result, report) => {
    const interrupted = surroundings.onInterrupt();
    const sender = movingSender(surroundings, result, interrupted);
    const portAt = (at: DataAddress) => openDataPort(at, sender);
    const sourceFrom = (): RowSource | Promise<RowSource> => {
      if (from === undefined) return exportSource(place, names);
      const { keyspace } = from;
      if (from.kind === 'server')
        return serverSource(
          { port: portAt(from.address), keyspace, names, progressPath: options.progressPath },
          report,
        );
      const read = nativeReader(from.address, address.retries, sender);
      return publicSource({ read, keyspace, names }, report);
    };
    const source = await sourceFrom();
    const portOnce = portAt({ ...address, retries: 0 });
    const outcome = await importTables(portAt(address), { ...request, source, toKeyspace, portOnce, report });
    const { refused, different, leftOut, failed } = outcome;
    const code = leftOutAtEnd(result, leftOut, options.allowsUnsupported);
    if (refused > 0) result.problem(`${refused} rows were refused`);
    if (failed.length > 0) result.problem(failedText(failed));
    return { code: refused + different + failed.length > 0 ? 1 : code, refused };
  });
}

function runFileImport(
  options: ImportOptions,
  target: FileImportOptions,
  surroundings: ImportSurroundings,
  output: CliOutput,
): Promise<number> {
  const { address, keyspace = 'default_keyspace', progressPath, verifies } = options;
  const named = { file: target.path };
  return runMove({ ...options, named }, surroundings, output, async (result, report) => {
    // The parsers are loaded only if there is a file to read.
    const { importFile, showGuess } = await import('./moving/files/import-file.js');
    const { openSource } = await import('./moving/sources/open-source.js');
    const interrupted = surroundings.onInterrupt();
    const source = await openSource(target.path, { input: surroundings.input, interrupted, report });
    const file = { ...target, source };
    try {
      if (target.isDryRun) return { code: 0, ...(await showGuess(file, target, report)) };
      const sender = movingSender(surroundings, result, interrupted);
      const portAt = (at: DataAddress) => openDataPort(at, sender);
      const portOnce = portAt({ ...address, retries: 0 });
      const request = { file, target, keyspace, progressPath, verifies, portOnce, report };
      return { keyspace, ...fileResult(await importFile(portAt(address), request), target, result) };
    } finally {
      source.close();
    }
  });
}

/** Prints what is not as in the file. */
function fileResult(
  { refused, replaced }: FileOutcome,
  { kind }: FileImportOptions,
  result: ResultOutput,
): { readonly code: number; readonly refused: number } {
  if (refused > 0)
    result.problem(
      `${refused} rows were refused: correct them and import the file again; ` +
        `the others keep their ${kind === 'table' ? 'keys' : 'ids'} and are not doubled`,
    );
  if (replaced > 0) result.problem(`${replaced} rows replaced others of the file with the same key`);
  return { code: refused + replaced > 0 ? 1 : 0, refused };
}

/** The options, or a text with the problem. */
function readOptions(args: readonly string[]): ImportOptions | string {
  const texts = ['verify', 'progress', ...fromTexts, ...fileImportTexts];
  const own = {
    ...{ keyspace: 'to-keyspace', insteadOfDirectory: fromUrls, texts },
    ...{ lists: fileImportLists, flags: fileImportFlags },
  };
  return readMoveOptions(args, own, (options, values) => {
    const { text } = values;
    const from = readFromOptions(options, values);
    if (typeof from === 'string') return from;
    const file = from === undefined ? readFileImportOptions(options, values) : undefined;
    if (typeof file === 'string') return file;
    const verify = text('verify') ?? 'yes';
    if (verify !== 'yes' && verify !== 'no') return `--verify is "${verify}"; it must be yes or no`;
    const progressPath = text('progress') ?? usualProgressPath(options.place, from, file);
    return { ...options, progressPath, verifies: verify === 'yes', from, file };
  });
}

/** A path that depends on the command alone, so that the command continues when it is given again. */
function usualProgressPath(
  place: string,
  from: FromOptions | undefined,
  file: FileImportOptions | undefined,
): string {
  if (file !== undefined) return progressPathOf(file.path);
  if (from === undefined) return join(place, 'import-progress.json');
  const { host } = new URL(from.address.url);
  // Earlier versions named it after the server; now another server of the cluster may continue.
  const earlier = `${host.replaceAll(/[^\w.-]/g, '_')}.${from.keyspace}.import-progress.json`;
  return existsSync(earlier) ? earlier : `${from.keyspace}.import-progress.json`;
}

const usage = `Creates the tables and collections of an export on a running server, inserts their rows
and documents, creates indexes, and compares all rows. What exists must have the same
definition; rows with the same key and documents with the same id are overwritten. The
same command continues an interrupted import.

With --from, reads the tables directly from another running server, without files. With
--from-public, reads the collections that the public Data API server keeps in a cluster.

With --table or --collection, reads the rows of a single CSV or JSON file; - is standard
input. JSON objects stand in lines, one behind another, or in an array. gzip, zstd, bzip2,
xz and ZIP are recognised by the contents. The types of CSV columns are guessed from all
rows, shown, and used to create the table if it does not exist. Empty fields are null.
Refused rows are reported with their lines: correct them and import the file again.

Usage: colonnade import DIRECTORY [OPTIONS]
       colonnade import --from URL [OPTIONS]
       colonnade import --from-public URL [OPTIONS]
       colonnade import FILE|- --table NAME|--collection NAME [OPTIONS]

Options:
  --to-keyspace NAME
      The keyspace to create the tables in. [default: that of the export or
      of the other server; default_keyspace for a file]
  --tables NAME,NAME
      Only these tables and collections of the export or of the other server.
  --verify yes|no
      Whether to read the tables again and to compare counts and checksums; for a file,
      to count the rows. [default: yes]
  --progress FILE
      Where the progress is stored. An import to another server at the same time needs
      another file. [default: DIRECTORY/import-progress.json, FILE.import-progress.json,
      or KEYSPACE.import-progress.json in the current directory]
  --allow-unsupported
      Leaves out columns that commands cannot create, and tables, collections and indexes
      that the target cannot hold. Exit code 0 also if something is left out.

Options for another server:
  --from URL
      Address of its table data service. --url is that of the server that gets the tables.
  --from-public URL
      Address of the operations port of a server of the cluster. The collections get the
      options that their tables name; one that the target has already keeps its own.
  --from-keyspace NAME
      [default: default_keyspace]
  --from-token TOKEN
      Its token. Other users of the machine can see the command line: prefer the
      environment or the file. [environment: COLONNADE_FROM_TOKEN]
  --from-config FILE
      Its config file, of which only the token is used.
  --from-session ID
      The id of a session, where the operations port has users.
      [environment: COLONNADE_FROM_SESSION]

Options for a file:
  --table NAME
      The table for the rows.
  --collection NAME
      The collection for the rows, each of which is a document.
  --columns NAME:TYPE,NAME:TYPE
      Corrects types. They are boolean, int, bigint, varint, decimal, double, date,
      timestamp, uuid and text; for a collection also json (objects and arrays). A name
      with a comma, a quote or blanks at its ends is in quotes: '"last, first":text'.
  --primary-key NAME,NAME
      Of a new table: the partition key, then clustering columns. Of a collection: the
      column with the ids. [default: id for a table; _id for a collection]
  --encoding NAME
      Of the text, such as latin1, windows-1252, utf-16le or shift_jis. [default: UTF-8,
      or UTF-16 if the file begins with its byte order mark]
  --format csv|ndjson|json
      ndjson and json are the same. [default: by the name of the file, .csv, .tsv,
      .ndjson, .jsonl or .json, also with .gz and the like; else by its contents]
  --id-from NAME
      The column or member of documents whose value is also their _id. [default: the
      member _id, else an id made of the content of the record]
  --dry-run
      Only shows the guessed types; no server is needed.

Options for CSV (what is not given is guessed from the file and printed):
  --delimiter CHARACTER
      What separates fields: a character, "tab", "space", or "none" for one column.
  --quote CHARACTER
      What fields begin and end with, or "none" if quotes are letters.
  --escape CHARACTER
      What stands before a quote within quotes, and before a delimiter, such as \\.
      [default: the quote itself]
  --skip-initial-space
      Blanks behind a delimiter do not belong to the field.
  --comment TEXT
      Lines that begin with it are skipped.
  --skip-lines N
      Lines before the first record.
  --header, --no-header
      Whether the first record has the names of the columns. Without names they are
      column_1, column_2 and so on.
  --names NAME,NAME
      Names of all columns, instead of those of the file.
  --ragged
      Records may have fewer fields (the others have no value) or more (they get columns).
  --null TEXT,TEXT
      Texts that stand for no value in every column, such as NA or "" (an empty text in
      quotes). Can be given several times. [default: NA, NULL, \\N, - and the like in
      columns whose other values are not texts]
  --decimal CHARACTER, --thousands CHARACTER
      How numbers are written: --decimal , --thousands . reads 1.234,5.
      [default: . without groups]

${dataPortOptionsHelp}${outputOptionsHelp}
Exit codes: 0 everything is imported, 1 something is left out, refused, different or
failed, 2 the command line cannot be used, 130 interrupted.
`;
