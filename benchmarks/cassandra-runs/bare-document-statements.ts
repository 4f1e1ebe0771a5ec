// Statements of our engine on documents, with values taken from documents that it stored.
import { randomUUID } from 'node:crypto';
import driver from 'cassandra-driver';
import { documentCollections } from '../document-requests.js';

/** The requests on documents whose statements are compared. */
export type DocumentRequest =
  | 'insertDocument'
  | 'findDocumentById'
  | 'findDocumentByPath'
  | 'incrementDocument';

/** What is sent: the text that our engine makes of the request, and values as an application has them. */
export interface BareStatement {
  readonly cql: string;
  readonly values: () => unknown[];
  readonly consistency: number;
  /** Whether its first column says that it was carried out. */
  readonly isConditional: boolean;
}

type StoredDocument = ReadonlyMap<string, unknown>;
type MakeStatement = (
  stored: readonly StoredDocument[],
) => Pick<BareStatement, 'cql' | 'values' | 'isConditional'>;

const { read, write } = documentCollections;
const tableOf = (name: string) => `"default_keyspace"."${name}"`;
const columns = ['_id', 'document', 'reserved', 'terms', 'version'] as const;
const { localQuorum } = driver.types.consistencies;

/** Reads the stored documents, and makes the statement for a request. */
export async function documentStatement(
  client: driver.Client,
  { request, rowCount }: { readonly request: DocumentRequest; readonly rowCount: number },
): Promise<BareStatement> {
  const stored: StoredDocument[] = [];
  const all = `SELECT ${columns.map((name) => `"${name}"`).join(', ')} FROM ${tableOf(read)}`;
  let page: string | undefined;
  do {
    const more = page === undefined ? {} : { pageState: page };
    const { rows, pageState } = await client.execute(all, [], { prepare: true, fetchSize: 500, ...more });
    for (const row of rows) stored.push(new Map(columns.map((name) => [name, row[name]])));
    page = pageState ?? undefined;
  } while (page !== undefined);
  if (stored.length < rowCount) throw new Error(`there are ${stored.length} documents of ${rowCount}`);
  return { ...statements[request](stored), consistency: localQuorum };
}

const statements: Readonly<Record<DocumentRequest, MakeStatement>> = {
  insertDocument: (stored) => ({
    isConditional: true,
    cql:
      `INSERT INTO ${tableOf(write)} ("_id", "document", "terms", "version", "born") ` +
      'VALUES (?, ?, ?, ?, ?) IF NOT EXISTS',
    values: () => {
      const document = anyOf(stored);
      const version = driver.types.Uuid.random();
      return [newKey(document.get('_id')), document.get('document'), document.get('terms'), version, version];
    },
  }),
  findDocumentById: (stored) => ({
    isConditional: false,
    cql: `SELECT "document", "reserved" FROM ${tableOf(read)} WHERE "_id" = ?`,
    values: () => [anyOf(stored).get('_id')],
  }),
  findDocumentByPath: (stored) => {
    const terms = termsOfOne(stored);
    return {
      isConditional: false,
      cql: `SELECT "_id", "document", "reserved" FROM ${tableOf(read)} WHERE "terms" CONTAINS ?`,
      values: () => [anyOf(terms)],
    };
  },
  incrementDocument: (stored) => {
    const versions = stored.map((document) => document.get('version'));
    let next = -1;
    return {
      isConditional: true,
      cql:
        `UPDATE ${tableOf(read)} SET "document" = ?, "terms" = ?, "version" = ?, "former" = ? ` +
        'WHERE "_id" = ? IF "version" = ?',
      values: () => {
        // A document has its turn again when the write before has ended long since.
        next = (next + 1) % stored.length;
        const document = stored[next] ?? new Map();
        const [before, version] = [versions[next], driver.types.Uuid.random()];
        versions[next] = version;
        const changed = [document.get('document'), document.get('terms'), version, [before]];
        return [...changed, document.get('_id'), before];
      },
    };
  },
};

function anyOf<Each>(all: readonly Each[]): Each {
  const found = all[Math.floor(Math.random() * all.length)];
  if (found === undefined) throw new Error('there are no documents');
  return found;
}

/** Another key of the same type and of about the same length. */
function newKey(key: unknown): unknown {
  const unlike = randomUUID();
  return Buffer.isBuffer(key) ? Buffer.concat([key, Buffer.from(unlike)]) : `${String(key)}${unlike}`;
}

/** Terms that one document has. */
function termsOfOne(stored: readonly StoredDocument[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const document of stored)
    for (const term of termsIn(document)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].flatMap(([term, count]) => (count === 1 ? [term] : []));
}

function termsIn(document: StoredDocument): readonly number[] {
  const terms = document.get('terms');
  return Array.isArray(terms) ? terms : [];
}
