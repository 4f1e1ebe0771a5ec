// Runs texts of the query language on a client of Apache's driver.
import driver from 'cassandra-driver';
import { takenColumnNames } from './cql-session.js';
import { isOfLeavingNode, toCassandraFailure } from './driver-failure.js';
import { firstWordOf } from './first-word.js';
import { CassandraFailure, type RowsPage } from './session.js';

/** Runs one statement as it is written, without preparing it. @throws CassandraFailure */
export async function executeText(
  client: driver.Client,
  cql: string,
  options: driver.QueryOptions,
): Promise<RowsPage> {
  // The driver would repeat it on every connection of the session, also when the keyspace is gone.
  if (firstWordOf(cql) === 'use')
    throw new CassandraFailure('refused', 'USE has no effect here: write names as keyspace.table');
  const send = () => client.execute(cql, [], { prepare: false, autoPage: false, ...options });
  const sendAgain = (error: unknown) => {
    if (!isOfLeavingNode(error) || options.host !== undefined) throw error;
    return send(); // the node has not begun with it, and is asked last now
  };
  const result = await send()
    .catch(sendAgain)
    .catch((error) => {
      throw toCassandraFailure(error);
    });
  const { rows, pageState } = result;
  const columns = result.columns ?? []; // its declaration lacks that there may be none
  refuseLostValues(columns.map(({ name }) => name));
  return {
    columns: columns.map(({ name, type }) => ({ name, type: typeText(type) })),
    rows: (rows ?? []).map((row) => columns.map(({ name }) => row[name])),
    next: pageState ?? null,
  };
}

/** Refuses columns that share a name, because a row of the driver has the last value only. @throws CassandraFailure */
function refuseLostValues(names: readonly string[]): void {
  const taken = new Set(takenColumnNames);
  for (const name of names) {
    if (taken.has(name)) {
      const problem = `the result has two columns ${name}, or one that no client can read`;
      throw new CassandraFailure('refused', `${problem}; give each a name of its own with AS`);
    }
    taken.add(name);
  }
}

/** What the driver knows of a column's type; its declarations lack it. */
interface DriverType {
  readonly code: driver.types.dataTypes;
  readonly info?: unknown;
}

/** The CQL name of a type of the driver: `map<text, int>`. */
function typeText({ code, info }: DriverType): string {
  const { dataTypes } = driver.types;
  if (code === dataTypes.udt) return nameOf(info);
  if (typeof info === 'string') return textOfClass(info);
  const name =
    code === dataTypes.varchar
      ? 'text'
      : (Object.entries(dataTypes).find(([, value]) => value === code)?.[0] ?? 'custom');
  const parts = (Array.isArray(info) ? info : [info]).filter(isDriverType);
  return parts.length === 0 ? name : `${name}<${parts.map(typeText).join(', ')}>`;
}

/** The driver names vectors and durations by the class of the node. */
function textOfClass(className: string): string {
  if (className === `${typePackage}.DurationType`) return 'duration';
  const dimension = /^org\.apache\.cassandra\.db\.marshal\.VectorType\(.*FloatType\s*,\s*(\d+)\)$/.exec(
    className,
  )?.[1];
  return dimension === undefined ? 'custom' : `vector<float, ${dimension}>`;
}

const typePackage = 'org.apache.cassandra.db.marshal';

function isDriverType(value: unknown): value is DriverType {
  return typeof value === 'object' && value !== null && 'code' in value;
}

function nameOf(info: unknown): string {
  return typeof info === 'object' && info !== null && 'name' in info ? String(info.name) : 'udt';
}
