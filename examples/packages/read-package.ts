// Reads one installed package as the row it becomes. Manifests and readmes are whatever their authors left behind:
// what is odd about them is written down in the row instead of being lost or stopping the tour.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type PackageFolder, sizeOnDiskBytes } from './find-packages.js';

/** One row: a column per member, `null` where the package does not say. */
export interface PackageRow {
  readonly folder: string;
  readonly name: string;
  readonly version: string | null;
  /** Never empty: it is a partition key. */
  readonly licence: string;
  readonly size_bytes: bigint;
  readonly dependency_count: number;
  readonly optional_dependency_count: number;
  readonly peer_dependency_count: number;
  readonly description: string | null;
  /** Joined with `, `. */
  readonly keywords: string | null;
  readonly readme: string | null;
  /** What was odd, joined with `; `. */
  readonly oddities: string | null;
}

/** What stands in the column `licence` for a package that names none. */
const noLicence = '(none stated)';

/** The longest readme that is stored whole. */
const maxReadmeLength = 200_000;

/** Gives the row, or in words why there is none. */
export function readPackage({ folder, path }: PackageFolder): PackageRow | { readonly problem: string } {
  const manifest = readManifest(path);
  if ('problem' in manifest) return manifest;
  const oddities: string[] = [];
  const { members } = manifest;
  const row = {
    folder: storable(folder),
    name: textOf(members, 'name', oddities) ?? storable(basename(path)),
    version: textOf(members, 'version', oddities),
    licence: licenceOf(members, oddities),
    size_bytes: BigInt(sizeOnDiskBytes(path)),
    dependency_count: countOf(members, 'dependencies', oddities),
    optional_dependency_count: countOf(members, 'optionalDependencies', oddities),
    peer_dependency_count: countOf(members, 'peerDependencies', oddities),
    description: typeof members['description'] === 'string' ? storable(members['description']) : null,
    keywords: keywordsOf(members),
    readme: readReadme(path, oddities),
  };
  return { ...row, oddities: oddities.length === 0 ? null : oddities.join('; ') };
}

type Members = Readonly<Record<string, unknown>>;

function readManifest(path: string): { readonly members: Members } | { readonly problem: string } {
  let text: string;
  try {
    text = readFileSync(join(path, 'package.json'), 'utf8');
  } catch {
    return { problem: 'it has no package.json' };
  }
  try {
    const members: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(members) ? { members } : { problem: 'its package.json is not an object' };
  } catch {
    return { problem: 'its package.json is not JSON' };
  }
}

function textOf(members: Members, member: 'name' | 'version', oddities: string[]): string | null {
  const value = members[member];
  if (typeof value === 'string' && value.trim() !== '') return storable(value.trim());
  oddities.push(`no ${member}`);
  return null;
}

/** `"MIT"`, or as they were once written: `{"type": "MIT"}`, `"licenses": [{"type": "MIT"}, …]`. */
function licenceOf(members: Members, oddities: string[]): string {
  const given = members['license'] ?? members['licence'] ?? members['licenses'];
  const names = (Array.isArray(given) ? given : [given])
    .map((licence) => (isObject(licence) ? (licence['type'] ?? licence['name']) : licence))
    .filter((name) => typeof name === 'string')
    .map((name) => storable(name.trim()))
    .filter((name) => name !== '');
  if (names.length === 0) {
    oddities.push('no licence');
    return noLicence;
  }
  if (typeof given !== 'string') oddities.push('licence in an old form');
  return names.join(' OR ');
}

function countOf(members: Members, member: string, oddities: string[]): number {
  const given = members[member];
  if (isObject(given)) return Object.keys(given).length;
  if (given !== undefined && given !== null) oddities.push(`${member} is not an object`);
  return 0;
}

function keywordsOf(members: Members): string | null {
  const given = members['keywords'];
  if (typeof given === 'string') return storable(given);
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string') : [];
  return words.length === 0 ? null : storable(words.join(', '));
}

function readReadme(path: string, oddities: string[]): string | null {
  const names = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^readme(\.\w+)?$/i.test(entry.name))
    .map(({ name }) => name)
    .sort((left, right) => Number(/\.md$/i.test(right)) - Number(/\.md$/i.test(left)));
  const [name] = names;
  if (name === undefined) {
    oddities.push('no readme');
    return null;
  }
  const text = decode(readFileSync(join(path, name)), oddities);
  if (text.length <= maxReadmeLength) return text;
  oddities.push(`readme cut from ${text.length} to ${maxReadmeLength} characters`);
  return storable(text.slice(0, maxReadmeLength));
}

function decode(bytes: Buffer, oddities: string[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
    oddities.push(`readme is not UTF-8, read as ${isUtf16 ? 'UTF-16' : 'Latin-1'}`);
    return isUtf16 ? storable(bytes.subarray(2).toString('utf16le')) : bytes.toString('latin1');
  }
}

/** A text column takes no half of a surrogate pair: UTF-8 cannot say it. Encoding puts U+FFFD in its place. */
function storable(text: string): string {
  return Buffer.from(text).toString();
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
