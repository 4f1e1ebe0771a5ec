// The two tables of the tour. Each is made for the questions it answers: that is how tables without joins are used.
import type { Db, Table } from '@datastax/astra-db-ts';
import type { PackageRow } from './read-package.js';

/** The keyspace of the tour. It is emptied at each load. */
export const keyspace = 'packages_tour';

/** One row per installed package, found by its folder. */
const packagesDefinition = {
  columns: {
    folder: 'text',
    name: 'text',
    version: 'text',
    licence: 'text',
    size_bytes: 'bigint',
    dependency_count: 'int',
    optional_dependency_count: 'int',
    peer_dependency_count: 'int',
    description: 'text',
    keywords: 'text',
    readme: 'text',
    oddities: 'text',
    // Texts written here become vectors. The built-in provider compares letters and words, not meaning.
    about: {
      type: 'vector',
      dimension: 384,
      service: { provider: 'colonnade', modelName: 'hashed-ngrams' },
    },
  },
  primaryKey: 'folder',
} as const;

/** A second table of the packages, with those of one licence together and the largest first. */
const byLicenceDefinition = {
  columns: { licence: 'text', size_bytes: 'bigint', folder: 'text', name: 'text', version: 'text' },
  primaryKey: { partitionBy: ['licence'], partitionSort: { size_bytes: -1, folder: 1 } },
} as const;

/** A row of the second table. */
export type LicenceRow = Pick<PackageRow, 'licence' | 'size_bytes' | 'folder' | 'name' | 'version'>;

/** A package as it is written: with the text that it can be found by. */
export interface WrittenPackage extends PackageRow {
  readonly about: string;
}

/** The open tables: what is written, what names a row, what is read. */
export interface PackageTables {
  readonly packages: Table<WrittenPackage, Pick<PackageRow, 'folder'>, PackageRow>;
  readonly byLicence: Table<LicenceRow, Pick<LicenceRow, 'licence' | 'size_bytes' | 'folder'>, LicenceRow>;
}

/** Makes the keyspace and both tables new and empty. */
export async function makeTables(db: Db): Promise<PackageTables> {
  const admin = db.admin({ environment: 'other' });
  await admin.dropKeyspace(keyspace);
  await admin.createKeyspace(keyspace);
  const packages = await db.createTable<WrittenPackage, Pick<PackageRow, 'folder'>, PackageRow>('packages', {
    keyspace,
    definition: packagesDefinition,
  });
  await packages.createVectorIndex('packages_about', 'about');
  return {
    packages,
    byLicence: await db.createTable('packages_by_licence', { keyspace, definition: byLicenceDefinition }),
  };
}
