// Checks what is made of every made file, without a server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseArgs } from 'node:util';
import { characterOf } from '../../src/files/csv-dialect.js';
import { rowRecords } from '../../src/files/csv-layout.js';
import { csvFlags, csvLists, csvTexts, readCsvOptions } from '../../src/files/csv-options.js';
import { decodeText } from '../../src/files/decode-text.js';
import type { GuessedType } from '../../src/files/guess-type.js';
import { inspectCsv } from '../../src/files/inspect-csv.js';
import { readNameValues } from '../../src/files/name-lists.js';
import { planFile } from '../../src/files/plan-file.js';
import { fileLines, typeLines } from '../../src/files/plan-text.js';
import { readCsv } from '../../src/files/read-csv.js';
import { recordWriter } from '../../src/files/write-row.js';
import { type MadeFile, type MadeValue, madeFiles, refusedFiles } from './made-files.js';

const options = {
  ...Object.fromEntries(
    ['delimiter', 'columns', 'format', ...csvTexts].map((name) => [name, { type: 'string' as const }]),
  ),
  ...Object.fromEntries(csvLists.map((name) => [name, { type: 'string' as const, multiple: true }])),
  ...Object.fromEntries(csvFlags.map((name) => [name, { type: 'boolean' as const }])),
};

/** The bytes in pieces that end within lines and characters. */
async function* bytesOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

async function documentsOf({ content, extension, args = [] }: Omit<MadeFile, 'title' | 'rows'>) {
  const { values } = parseArgs({ args: [...args], options });
  const given: Readonly<Record<string, unknown>> = values;
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const list = (name: string) => (Array.isArray(given[name]) ? given[name].map(String) : undefined);
  const delimiter = text('delimiter') ?? (extension === 'tsv' ? 'tab' : undefined);
  const read = readCsvOptions(
    { text, list, flag: (name) => given[name] === true },
    delimiter === undefined ? undefined : characterOf(delimiter),
  );
  if (typeof read === 'string') throw new Error(read);
  const pieces = () => decodeText(bytesOf(content), { name: 'f', encoding: read.encoding });
  const { values: format } = read.csv;
  const file = {
    ...{ name: 'f', format: 'csv' as const },
    ...(format === undefined ? {} : { values: format }),
    ...(await inspectCsv(pieces(), read.csv, 'f')),
  };
  const columns = new Map(
    readNameValues(text('columns') ?? '').flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value as GuessedType]],
    ),
  );
  const plan = planFile(file, { kind: 'collection', name: 'c', columns, primaryKey: undefined }, undefined);
  const types = new Map(plan.fields.map(({ name, type }) => [name, type]));
  const printed = [...fileLines(file, plan.notes), ...typeLines(file, types)];
  const rows: string[] = [];
  const write = recordWriter(plan.fields, file.layout, undefined);
  for await (const records of rowRecords(readCsv(pieces(), file.dialect, 'f'), file.layout))
    for (const record of records) {
      const row = write(record);
      if (row.problem === undefined) rows.push(row.text);
      else printed.push(`f line ${row.number}: ${row.problem}`);
    }
  return { documents: rows.map((row) => JSON.parse(row)), printed: printed.join('\n') };
}

describe('files as people bring them', () => {
  for (const file of madeFiles)
    it(`are read: ${file.title}`, async () => {
      const { documents, printed } = await documentsOf(file);
      assert.deepEqual(documents, file.rows.map(documentOf));
      assert.match(`${printed}\n`, file.says ?? /./);
      assert.match(`${printed}\n`, file.refuses ?? /./);
    });

  for (const file of refusedFiles)
    if (file.args === undefined || file.args[0] !== '--columns')
      it(`are refused: ${file.title}`, async () => {
        await assert.rejects(documentsOf(file), { name: 'Error', message: file.problem });
      });

  it('have every option of CSV', () => {
    const given = new Set(madeFiles.flatMap(({ args = [] }) => args));
    const wanted = ['delimiter', 'columns', ...csvTexts, ...csvLists, ...csvFlags].map((name) => `--${name}`);
    assert.deepEqual(
      wanted.filter((name) => !given.has(name)),
      [],
    );
    assert.ok(madeFiles.length >= 60);
  });
});

function documentOf(row: Readonly<Record<string, MadeValue>>): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, documentValue(value)]));
}

function documentValue(value: MadeValue): unknown {
  if (typeof value !== 'object') return value;
  return 'uuid' in value ? { $uuid: value.uuid } : { $date: Date.parse(value.date) };
}
