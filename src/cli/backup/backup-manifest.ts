// The description of a backup: its files with sizes and checksums, and the versions of their formats.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rowsFileOf } from '../../foundation/config/engines/registry.js';
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { isThere } from '../../foundation/machine/is-there.js';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { elementsOf, readReply } from '../operations-port.js';
import { manifestName, StorageProblem } from './storage-layout.js';

/** The version of the layout of backups. */
const format = 1;

/** A file of a backup. */
export interface BackedUpFile {
  /** Its path in the backup, with `/`. */
  readonly name: string;
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** The version of the format of a database; undefined for other files. */
  readonly version?: number | undefined;
}

/** What a backup contains. */
export interface BackupManifest {
  /** Such as `colonnade 0.1.0`. */
  readonly madeBy: string;
  /** RFC 3339. */
  readonly madeAt: string;
  readonly engine: string;
  readonly files: readonly BackedUpFile[];
}

/** Writes the manifest durably, one line for each file. */
export function writeBackupManifest(directory: string, { files, ...head }: BackupManifest): void {
  const lines = files.map((file) => `\n${JSON.stringify(file)}`).join(',');
  const text = `${JSON.stringify({ format, ...head }).slice(0, -1)},"files":[${lines}]}\n`;
  replaceFile(join(directory, manifestName), Buffer.from(text));
}

/** Whether a directory is a backup. */
export function isBackup(directory: string): boolean {
  return existsSync(join(directory, manifestName));
}

/** The manifest of a backup. @throws StorageProblem */
export function readBackupManifest(directory: string): BackupManifest {
  const path = join(directory, manifestName);
  if (!isThere(directory) || !existsSync(path))
    throw new StorageProblem(`${directory} has no ${manifestName}: it is not a complete backup`);
  const json = readReply(readRegularFile(path).toString());
  const found = isJsonObject(json) ? json.get('format') : undefined;
  if (!isJsonObject(json) || !(found instanceof JsonNumber))
    throw new StorageProblem(`${path} is damaged: it is not the description of a backup`);
  if (Number(found.text) !== format)
    throw new StorageProblem(
      `${path} has the format ${found.text}, and this version reads the format ${format}: ` +
        `use the version that made it (${textAt(json, 'madeBy', path)})`,
    );
  const engine = textAt(json, 'engine', path);
  const files = elementsOf(json.get('files')).map((file) => readFile(file, path));
  checkNames(new Set(files.map(({ name }) => name)), files.length, engine, path);
  return { madeBy: textAt(json, 'madeBy', path), madeAt: textAt(json, 'madeAt', path), engine, files };
}

/** A list that is cut must not be restored as an empty server. @throws StorageProblem */
function checkNames(names: ReadonlySet<string>, count: number, engine: string, path: string): void {
  if (names.size < count) throw new StorageProblem(`${path} is damaged: it names a file twice`);
  const rowsFile = rowsFileOf(engine);
  if (rowsFile !== undefined && !names.has(rowsFile))
    throw new StorageProblem(`${path} is damaged: it does not name ${rowsFile}`);
}

function readFile(json: JsonValue, path: string): BackedUpFile {
  if (!isJsonObject(json)) throw new StorageProblem(`${path} is damaged: a file is not an object`);
  const [name, sha256] = [textAt(json, 'name', path), textAt(json, 'sha256', path)];
  // A name leads to a path in the backup and in the restored directory, and to nowhere else.
  if (!/^(?:[\w-]+\/)?[\w-][\w.-]*$/.test(name) || !/^[0-9a-f]{64}$/.test(sha256))
    throw new StorageProblem(`${path} is damaged: "${name}" is not a file of a backup`);
  const version = json.get('version');
  return {
    name,
    sha256,
    bytes: numberAt(json, 'bytes', path),
    version: version === undefined ? undefined : numberAt(json, 'version', path),
  };
}

function textAt(json: JsonObject, name: string, path: string): string {
  const text = json.get(name);
  if (typeof text === 'string') return text;
  throw new StorageProblem(`${path} is damaged: "${name}" is missing`);
}

function numberAt(json: JsonObject, name: string, path: string): number {
  const value = json.get(name);
  if (value instanceof JsonNumber && /^\d{1,15}$/.test(value.text)) return Number(value.text);
  throw new StorageProblem(`${path} is damaged: "${name}" is not a number`);
}
