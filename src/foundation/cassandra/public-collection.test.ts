// Which tables count as collections of the public server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../json/json-value.js';
import { type DescribedColumn, isPublicCollection, publicOptions } from './public-collection.js';

function column(name: string, type: string, kind = 'regular'): DescribedColumn {
  return { name, kind, type };
}

const layout: readonly DescribedColumn[] = [
  column('key', 'frozen<tuple<tinyint, text>>', 'partition_key'),
  column('tx_id', 'timeuuid'),
  column('doc_json', 'text'),
  column('exist_keys', 'set<text>'),
  column('array_size', 'map<text, int>'),
  column('array_contains', 'set<text>'),
  column('query_bool_values', 'map<text, tinyint>'),
  column('query_dbl_values', 'map<text, decimal>'),
  column('query_text_values', 'map<text, text>'),
  column('query_timestamp_values', 'map<text, timestamp>'),
  column('query_null_values', 'set<text>'),
];
const others = [column('id', 'int', 'partition_key'), column('note', 'text')];
const ofVersion = (version: string) => `{"collection":{"name":"t","schema_version":${version},"options":{}}}`;

describe('isPublicCollection', () => {
  it('knows the comment, with any version and any columns', () => {
    for (const version of ['1', '2', '99', '"x"'])
      assert.equal(isPublicCollection({ comment: ofVersion(version) }, others), true);
  });

  it('knows the columns, with any comment and further columns', () => {
    const more = [...layout, column('query_vector_value', 'vector<float, 3>'), column('extra', 'int')];
    for (const comment of ['', 'some notes', '{"indexing":{"deny":["a"]}}'])
      for (const columns of [layout, more]) assert.equal(isPublicCollection({ comment }, columns), true);
  });

  it('leaves other tables', () => {
    const comments = [
      '',
      'a note',
      '{',
      '[]',
      '{"collection":1}',
      '{"collection":{"name":"t"}}',
      'x{"collection":',
    ];
    for (const comment of comments) assert.equal(isPublicCollection({ comment }, others), false, comment);
    assert.equal(isPublicCollection({ comment: '' }, layout.slice(0, -1)), false);
    assert.equal(isPublicCollection({ comment: '' }, [...layout, column('c', 'int', 'clustering')]), false);
  });
});

describe('publicOptions', () => {
  it('reads the options of every version, and none of a comment in words', () => {
    for (const [comment, options] of [
      [
        '{"collection":{"name":"t","schema_version":2,"options":{"vector":{"dimension":2}}}}',
        '{"vector":{"dimension":2}}',
      ],
      ['{"indexing":{"deny":["a"]}}', '{"indexing":{"deny":["a"]}}'],
      ['{"collection":{"name":"t","schema_version":1}}', '{}'],
      ['some notes', '{}'],
      ['', '{}'],
      ['{', '{}'],
    ] as const)
      assert.equal(stringifyJson(publicOptions(comment)), options, comment);
  });
});
