// The questions of the tour: by key, by partition in clustering order, by the words of a text, over a whole table.
import type { LicenceRow, PackageTables } from './package-tables.js';
import type { PackageRow } from './read-package.js';

/** Which package is this, and what does its readme say first? One row by its key; null when there is none. */
export async function describePackage(
  folder: string,
  { packages }: PackageTables,
): Promise<{ readonly stored: PackageRow; readonly firstWords: string | null } | null> {
  const stored = await packages.findOne({ folder }, { projection: { about: false } });
  return stored && { stored, firstWords: firstWordsOf(stored.readme) };
}

/** The largest packages of a licence: the first rows of one partition, which holds them in that very order. */
export async function largestPackages(
  licence: string,
  limit: number,
  { byLicence }: PackageTables,
): Promise<readonly LicenceRow[]> {
  return byLicence.find({ licence }, { limit }).toArray();
}

/** A package that a text leads to. */
export interface FoundPackage {
  readonly folder: string;
  readonly description: string | null;
  /** From 0 to 1. */
  readonly similarity: number;
}

/** Which packages are about this? The text becomes a vector as the readmes did, and the nearest ones come first. */
export async function packagesAbout(
  text: string,
  limit: number,
  { packages }: PackageTables,
): Promise<readonly FoundPackage[]> {
  const found = await packages
    .find({}, { sort: { about: text }, limit, includeSimilarity: true })
    .project<Pick<PackageRow, 'folder' | 'description'> & { $similarity: number }>({
      folder: true,
      description: true,
    })
    .toArray();
  return found.map(({ folder, description, $similarity }) => ({
    folder,
    description,
    similarity: $similarity,
  }));
}

/** How many packages depend on nothing? Every row is read, three small columns of each. */
export async function countIndependent({ packages }: PackageTables): Promise<{
  readonly independent: number;
  readonly all: number;
}> {
  const counts = packages.find({}).project<CountColumns>({
    dependency_count: true,
    optional_dependency_count: true,
    peer_dependency_count: true,
  });
  let independent = 0;
  let all = 0;
  for await (const row of counts) {
    const sum = row.dependency_count + row.optional_dependency_count + row.peer_dependency_count;
    if (sum === 0) independent += 1;
    all += 1;
  }
  return { independent, all };
}

type CountColumns = Pick<
  PackageRow,
  'dependency_count' | 'optional_dependency_count' | 'peer_dependency_count'
>;

/** The first line of a readme that is prose: no heading, badge, link, list, table, quote, code or HTML. */
export function firstWordsOf(readme: string | null): string | null {
  let isCode = false;
  for (const [place, line] of (readme ?? '').split(/\r?\n/).entries()) {
    const words = line.trim();
    if (words.startsWith('```')) isCode = !isCode;
    const isIndented = /^(\t| {4})/.test(line) && place > 0;
    const isProse = /^[\p{L}\p{N}"'`_(*]/u.test(words) && /\p{L}+\P{L}+\p{L}+/u.test(words);
    const isList = /^(\*|\d+[.)])\s/.test(words);
    if (!isCode && !isIndented && isProse && !isList) return words;
  }
  return null;
}
