// Parses one statement.
import { NativeQueryRefused } from '../engine/native-result.js';
import { readDelete, readInsert, readSelect, readUpdate } from './read-row-statement.js';
import {
  readAlterType,
  readCreateIndex,
  readCreateType,
  readDropIndex,
  readDropType,
} from './read-schema-statement.js';
import { readAlterTable, readCreateTable, readDropTable } from './read-table-statement.js';
import type { Statement } from './statement.js';
import { TokenReader } from './token-reader.js';

/** Parsers by the first words of statements. */
const readers: Readonly<Record<string, (reader: TokenReader) => Statement>> = {
  'create table': readCreateTable,
  'alter table': readAlterTable,
  'drop table': readDropTable,
  'create type': readCreateType,
  'alter type': readAlterType,
  'drop type': readDropType,
  'create index': readCreateIndex,
  'create custom index': readCreateIndex,
  'drop index': readDropIndex,
  'insert into': readInsert,
  update: readUpdate,
  delete: readDelete,
  select: readSelect,
};

/**
 * Parses one statement, with or without a final semicolon.
 * @throws NativeQueryRefused for any other text
 */
export function readStatement(query: string): Statement {
  const reader = new TokenReader(query);
  for (const [words, read] of Object.entries(readers)) {
    if (!reader.takeWords(...words.split(' '))) continue;
    const statement = read(reader);
    reader.expectEnd();
    return statement;
  }
  const known = Object.keys(readers).map((words) => words.toUpperCase());
  throw new NativeQueryRefused(
    `${reader.refusal('a supported statement').message}; supported are ${known.join(', ')}. ` +
      'Use the commands of the data service for everything else, such as createKeyspace and createVectorIndex',
  );
}
