// Reads JSON files of every form, in pieces of every size.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../foundation/json/json-value.js';
import { FileProblem } from './file-problem.js';
import { readJsonFile } from './read-json-file.js';

async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** `line: object` or `line! problem` for each record. */
async function read(text: string, size = text.length || 1): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const records of readJsonFile(piecesOf(text, size), 'f.json'))
    for (const record of records)
      found.push(
        'problem' in record
          ? `${record.line}! ${record.problem}`
          : `${record.line}: ${stringifyJson(record.object)}`,
      );
  return found;
}

describe('readJsonFile', () => {
  const forms: readonly (readonly [form: string, text: string, records: readonly string[]])[] = [
    ['lines', '{"a":1}\n{"a":"}\\"{"}\r\n\n{"a":1.50}', ['1: {"a":1}', '2: {"a":"}\\"{"}', '4: {"a":1.50}']],
    ['an array', '[\n{"a":1},\n {"a":[{}]} ]\n', ['2: {"a":1}', '3: {"a":[{}]}']],
    ['an array in a line', '[{"a":1},{"a":{"b":[]}}]', ['1: {"a":1}', '1: {"a":{"b":[]}}']],
    ['an empty array', ' [ ] ', []],
    ['several arrays', '[{"a":1}]\n[{"a":2}]', ['1: {"a":1}', '2: {"a":2}']],
    ['objects over lines', '{\n "a": 1\n}\n{\n"a": [\n{\n}\n]\n}', ['1: {"a":1}', '4: {"a":[{}]}']],
    ['objects one behind another', '{"a":1}{"a":2} {"a":3}', ['1: {"a":1}', '1: {"a":2}', '1: {"a":3}']],
    ['a sequence', '\u001e{"a":1}\n\u001e{"a":2}\n', ['1: {"a":1}', '2: {"a":2}']],
    ['objects with commas', '{"a":1},\n{"a":2},\n', ['1: {"a":1}', '2: {"a":2}']],
    ['nothing', ' \n', []],
  ];
  for (const [form, text, records] of forms)
    it(`reads ${form}, in pieces of every size`, async () => {
      for (let size = 1; size <= text.length; size += 1) assert.deepEqual(await read(text, size), records);
    });

  const mistakes: readonly (readonly [mistake: string, text: string, records: readonly string[]])[] = [
    [
      'a line that is broken',
      '{"a":1}\n{"a":x}\n{"a":2}',
      ['1: {"a":1}', '2! column 6: unexpected character "x" where a value is expected', '3: {"a":2}'],
    ],
    [
      'a bracket that is missing',
      '{"a":1\n{"a":2}',
      ["1! column 7: the text ends where ',' or '}' is expected", '2: {"a":2}'],
    ],
    [
      'a text without its end',
      '{"a":"1\n{"a":2}',
      ['1! column 8: the text ends inside a string', '2: {"a":2}'],
    ],
    [
      'a bracket of the other kind',
      '{"a":[1}\n{"a":2}',
      ["1! column 8: unexpected character \"}\" where ',' or ']' is expected", '2: {"a":2}'],
    ],
    [
      'a mistake inside of an object over lines',
      '{\n "a": 1\n}\n{\n "a": 1\n "b": 2\n}\n{\n "a": 3\n}',
      ['1: {"a":1}', "6! column 2: unexpected character \"\\\"\" where ',' or '}' is expected", '8: {"a":3}'],
    ],
    [
      'text between the objects',
      '{"a":1}\nand, {more}\n\n[{}]\n{"a":2}',
      [
        '1: {"a":1}',
        '2! column 1: unexpected character "a" where an object is expected',
        '4! column 1: unexpected character "[" where an object is expected',
        '5: {"a":2}',
      ],
    ],
    [
      'an end in the middle',
      '{"a":1}\n{"a"',
      ['1: {"a":1}', "2! column 5: the text ends where ':' is expected"],
    ],
    [
      'a name that appears twice',
      '{"a":1,"a":2}\n{"a":2}',
      ['1! column 11: member name "a" appears twice in one object', '2: {"a":2}'],
    ],
  ];
  for (const [mistake, text, records] of mistakes)
    it(`names ${mistake} once, and reads the next object, in pieces of every size`, async () => {
      for (const lineBreak of ['\n', '\r\n', '\r']) {
        const lines = text.replaceAll('\n', lineBreak);
        for (let size = 1; size <= lines.length; size += 1)
          assert.deepEqual(await read(lines, size), records, JSON.stringify(lineBreak));
      }
    });

  it('names the first mistake of an array, and ends', async () => {
    for (const [text, place] of [
      ['[\n{"a":1},\n{"a":x},\n{"a":y}\n]', /^f\.json line 3, column 6: unexpected character "x"/],
      ['[{"a":1} {"a":2}]', /^f\.json line 1, column 10: unexpected character "\{" where ',' or '\]'/],
      ['[{"a":1},]', /line 1, column 10: unexpected character "\]" where an object/],
      ['[1,2]', /line 1, column 2: unexpected character "1" where an object is expected/],
      ['[{"a":1}', /line 1, column 9: the file ends where '\]' is expected/],
      ['[{"a":1}]\n}', /line 2, column 1: unexpected character "\}"/],
    ] as const)
      await assert.rejects(read(text), (error) => error instanceof FileProblem && place.test(error.message));
  });

  it('names the first mistake of a file that has no objects', async () => {
    for (const text of ['id,name\n1,a\n'.repeat(2000), '"a"\n"b"\n', '{"a":x}\n{"a":y}'])
      await assert.rejects(read(text, 100), (error) => {
        assert.ok(error instanceof FileProblem);
        return /^f\.json line 1, column \d: .+ the file has no JSON objects/.test(error.message);
      });
  });

  it('refuses an object that is nested too deeply', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const found = await read(`{"a":1}\n${nested(1000)}\n${nested(999)}`);
    assert.deepEqual([found.length, found[0]], [3, '1: {"a":1}']);
    assert.match(found[1] ?? '', /^2! column 1006: arrays and objects are nested more than 1000 levels deep/);
  });
});
