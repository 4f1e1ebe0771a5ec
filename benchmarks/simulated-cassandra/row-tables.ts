// What the tables of a simulated node hold whose rows commands write and read: always the same row.
import { benchmarkTable } from '../requests.js';
import type { SimulatedTable } from './cql-frames.js';
import { numberedId } from './node-tables.js';

const { keyspace, readTable, writeTable, definition } = benchmarkTable;

const cqlTypes = Object.entries(definition.columns);

/** The tables by their names, in addition to those of every node. */
export const rowTables: Readonly<Record<string, SimulatedTable>> = {
  'system_schema.keyspaces': {
    columns: [
      ['keyspace_name', 'text'],
      ['durable_writes', 'boolean'],
      ['replication', 'map<text,text>'],
    ],
    rows: [
      [keyspace, true, { class: 'org.apache.cassandra.locator.SimpleStrategy', replication_factor: '1' }],
    ],
  },
  'system_schema.tables': {
    columns: [
      ['keyspace_name', 'text'],
      ['table_name', 'text'],
      ['id', 'uuid'],
      ['comment', 'text'],
      ['extensions', 'map<text,text>'],
    ],
    rows: [readTable, writeTable].map((name, at) => [keyspace, name, numberedId(at), '', {}]),
  },
  'system_schema.columns': {
    columns: [
      ['keyspace_name', 'text'],
      ['table_name', 'text'],
      ['column_name', 'text'],
      ['kind', 'text'],
      ['position', 'int'],
      ['clustering_order', 'text'],
      ['type', 'text'],
    ],
    rows: [readTable, writeTable].flatMap((table) =>
      cqlTypes.map(([name, type]) => {
        const isKey = name === definition.primaryKey;
        return [keyspace, table, name, isKey ? 'partition_key' : 'regular', isKey ? 0 : -1, 'none', type];
      }),
    ),
  },
  'system_schema.dropped_columns': {
    columns: ['keyspace_name', 'table_name', 'column_name', 'type', 'kind'].map((name) => [name, 'text']),
    rows: [],
  },
  'system_schema.indexes': {
    columns: [
      ['keyspace_name', 'text'],
      ['table_name', 'text'],
      ['index_name', 'text'],
      ['kind', 'text'],
      ['options', 'map<text,text>'],
    ],
    rows: [],
  },
  'system_schema.types': {
    columns: [
      ['keyspace_name', 'text'],
      ['type_name', 'text'],
      ['field_names', 'set<text>'],
      ['field_types', 'set<text>'],
    ],
    rows: [],
  },
  'system.peers_v2': { columns: [['host_id', 'uuid']], rows: [] },
  /** The columns as statements name them. */
  [`${keyspace}.${readTable}`]: {
    columns: [
      ['"id"', 'text'],
      ['"name"', 'text'],
      ['"age"', 'int'],
      ['"score"', 'double'],
      ['"active"', 'boolean'],
      ['"created"', 'timestamp'],
    ],
    rows: [['row-1', 'Person number 1', 50, 500.25, true, 1_650_000_000_000]],
  },
};
