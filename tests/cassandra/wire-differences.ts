// Which tests of requests get other replies from a cluster, and which files do not run on one.

/** Files of `tests/wire/`, without `.test.ts`, that do not run on a cluster; each with the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  'native-types': 'its statements are those of the embedded engine',
  'large-requests.long': 'its rows are larger than the 16 MiB that the node takes in one write',
  'large-rows.long': 'as large-requests.long',
  'operators-by-type.long': 'it repeats operators-by-type for fourteen more types',
};

const options = 'index-reads.test.js > text options of an index > index options on key columns (embedded)';
const operators = 'operators-without-sql.test.js > a filter operator that no engine translates';
const vectors = 'vector-columns.test.js > vectors';
const byToken = 'unsorted reads on a cluster';
const large = 'vectors with large elements on a cluster';
const zero = 'zero vectors on a cluster';
const native = 'native queries on a cluster';
const slots = 'columns of a table on a cluster';
/** Rows in any order may come in that of the embedded engine, too. */
const anyOrder = 'equally similar rows on a cluster';

const indexes = 'vector-indexes.test.js > zero vectors';
const reads = 'index-reads.test.js > reads by an index';
const searches = 'vector-search.test.js > a vector sort';
const dropped = 'many-columns.test.js > a table whose columns were dropped';

const forms = 'extended-forms.test.js > definitions of columns';
const typed = 'user-types.test.js > columns of user-defined types > a user-defined type in a dropped column';

const longTexts = 'text-search.test.js > createTextIndex > is refused over longer texts (embedded)';
const counts = 'collection-commands.test.js > counts (1.11)';

/** Test, or suite all of whose tests differ → the row of docs/differences.md with the reason. */
export const differences: Readonly<Record<string, string>> = {
  [`${options}: act where the filter leaves the partition open`]: 'index options on key columns on a cluster',
  [`${reads} > unsorted reads (embedded): come by the indexed value, then by the key`]: byToken,
  [`${reads} > a bad, foreign or outdated page state (embedded): refused is one from before an index came`]:
    'page state on a cluster',
  [longTexts]: 'words on a cluster',
  [`${counts} > are exact beyond that where they are estimated (embedded)`]: 'estimated counts on a cluster',
  'keyspaces.test.js > lists of keyspaces > are in the order of creation (embedded)':
    'lists of keyspaces and indexes on a cluster',
  [`${dropped} > takes no columns that its rows have no slot for (embedded)`]: slots,
  [`${dropped} > takes columns that can have the slots of others (embedded)`]: slots,
  'native-statements.test.js > native queries of the embedded engine (embedded)': native,
  'native-statements.test.js > a statement of the language of the embedded engine (embedded)': native,
  [`${operators} > gives rows in the order of the key (embedded)`]: byToken,
  [`${operators} > names rows to delete by a range (embedded)`]: 'filters on a cluster',
  [`${typed}: keeps the name of the column (embedded)`]: 'user-defined columns on a cluster',
  [`${forms} > a dropped list of a user-defined type can be added again (embedded)`]:
    'user-defined columns on a cluster',
  'restricted-columns.test.js > columns that native queries made > have the order of the statement (embedded)':
    'columns that native queries made on a cluster',
  [`${vectors} > vectors with large elements (embedded): go to the greatest 32-bit float`]: large,
  [`${vectors} > zero vectors (embedded): are taken without an index`]: zero,
  [`${indexes} > zero vectors (embedded): are taken without an index, and under one with another metric`]:
    zero,
  [`${indexes} > zero vectors under a new cosine index: refused, naming some rows (embedded)`]: zero,
  [`${searches} > equally similar rows (embedded): come by key`]: anyOrder,
  [`${searches} > vectors with large elements (embedded): have their opposites`]: large,
  [`${searches} > vectors with large elements (embedded): have an infinite similarity, or none`]: large,
};

/** Whether the difference is not there in every run. */
export function isByChance(name: string): boolean {
  return differences[name] === anyOrder;
}

/** What lists a test: itself or a suite around it. `name`: of its file, its suites and itself, separated by ` > `. */
export function listedName(name: string): string | undefined {
  return Object.keys(differences).find((listed) => name === listed || name.startsWith(`${listed} > `));
}
