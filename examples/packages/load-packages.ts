// Loads every installed package into the tables, a batch of rows at a time.
import { findPackages } from './find-packages.js';
import type { PackageTables } from './package-tables.js';
import { type PackageRow, readPackage } from './read-package.js';

/** What was loaded, and what could not be. */
export interface LoadReport {
  readonly packageCount: number;
  readonly totalBytes: number;
  /** Folder and reason of each directory that is not a package. */
  readonly skipped: readonly { readonly folder: string; readonly problem: string }[];
  /** Folder and oddities of each that was loaded all the same. */
  readonly odd: readonly { readonly folder: string; readonly oddities: string }[];
}

/** Rows held in memory at a time. */
const batchSize = 100;
/** Rows in one request: ten readmes of the longest kind stay below its 20 MB, whatever characters they have. */
const chunkSize = 10;

/** Reads the packages under `modulesPath` and stores them. */
export async function loadPackages(modulesPath: string, tables: PackageTables): Promise<LoadReport> {
  const skipped: { folder: string; problem: string }[] = [];
  const odd: { folder: string; oddities: string }[] = [];
  let packageCount = 0;
  let totalBytes = 0;
  let batch: PackageRow[] = [];
  for (const found of findPackages(modulesPath)) {
    const row = readPackage(found);
    if ('problem' in row) {
      skipped.push({ folder: found.folder, problem: row.problem });
      continue;
    }
    packageCount += 1;
    totalBytes += Number(row.size_bytes);
    if (row.oddities !== null) odd.push({ folder: row.folder, oddities: row.oddities });
    batch.push(row);
    if (batch.length === batchSize) {
      await store(batch, tables);
      batch = [];
    }
  }
  await store(batch, tables);
  return { packageCount, totalBytes, skipped, odd };
}

/** What a package is found by. The embedding looks at about as much of a readme. */
function aboutText({ name, description, keywords, readme }: PackageRow): string {
  return [name, description, keywords, readme?.slice(0, 8_000)].filter((part) => part !== null).join('\n');
}

async function store(batch: readonly PackageRow[], { packages, byLicence }: PackageTables): Promise<void> {
  if (batch.length === 0) return;
  const written = batch.map((row) => ({ ...row, about: aboutText(row) }));
  await packages.insertMany(written, { chunkSize });
  await byLicence.insertMany(
    batch.map(({ licence, size_bytes, folder, name, version }) => ({
      licence,
      size_bytes,
      folder,
      name,
      version,
    })),
  );
}
