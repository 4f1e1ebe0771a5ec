// Checks the parser of Prometheus' text format: what it accepts and what it refuses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseExposition } from './parse-exposition.js';

const all = () => true;
const parse = (text: string) => parseExposition(text, all);

describe('parseExposition', () => {
  it('reads the example of the format', () => {
    const text = [
      '# HELP http_requests_total The total number of HTTP requests.',
      '# TYPE http_requests_total counter',
      'http_requests_total{method="post",code="200"} 1027 1395066363000',
      'http_requests_total{method="post",code="400"}    3 1395066363000',
      '',
      '# Escaping in label values:',
      'msdos_file_access_time_seconds{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find file:\\n\\"FILE.TXT\\""} 1.458255915e9',
      'metric_without_timestamp_and_labels 12.47',
      'something_weird{problem="division by zero"} +Inf -3982045',
      'rpc_duration_seconds{quantile="0.01"} 3102',
      '',
    ].join('\n');
    assert.deepEqual(parse(text), [
      { name: 'http_requests_total', labels: { method: 'post', code: '200' }, value: 1027 },
      { name: 'http_requests_total', labels: { method: 'post', code: '400' }, value: 3 },
      {
        name: 'msdos_file_access_time_seconds',
        labels: { path: 'C:\\DIR\\FILE.TXT', error: 'Cannot find file:\n"FILE.TXT"' },
        value: 1458255915,
      },
      { name: 'metric_without_timestamp_and_labels', labels: {}, value: 12.47 },
      { name: 'something_weird', labels: { problem: 'division by zero' }, value: Number.POSITIVE_INFINITY },
      { name: 'rpc_duration_seconds', labels: { quantile: '0.01' }, value: 3102 },
    ]);
  });

  const values: readonly (readonly [string, number])[] = [
    ['1.0E10', 1e10],
    ['-1', -1],
    ['.5', 0.5],
    ['5.', 5],
    ['-Inf', Number.NEGATIVE_INFINITY],
    ['NaN', Number.NaN],
  ];
  for (const [written, value] of values) {
    it(`reads ${written} as a value`, () => assert.deepEqual(parse(`a ${written}\n`)[0]?.value, value));
  }

  it('takes the commas and blanks that writers put', () => {
    assert.deepEqual(parse('\ta { x = "1" , y="}, {" , } \t2\n'), [
      { name: 'a', labels: { x: '1', y: '}, {' }, value: 2 },
    ]);
    assert.deepEqual(parse('a{} 1\n'), [{ name: 'a', labels: {}, value: 1 }]);
    assert.deepEqual(parse(''), []);
  });

  it('looks at wanted samples alone', () => {
    const samples = parseExposition('a 1\nb{x= 2\nc 3\n', (name) => name !== 'b');
    assert.deepEqual(
      samples.map(({ name }) => name),
      ['a', 'c'],
    );
  });

  const garbage: readonly (readonly [string, RegExp])[] = [
    ['<html>\n', /^line 1 does not begin with a name$/],
    ['{"a":1}\n', /^line 1 does not begin with a name$/],
    ['a 1\n1a 2\n', /^line 2 does not begin with a name$/],
    ['a\n', /^line 1 has no value/],
    ['a one\n', /^line 1 has no value/],
    ['a 0x10\n', /^line 1 has no value/],
    ['a 1 2 3\n', /^line 1 has no value/],
    ['a 1\r\n', /^line 1 has no value/],
    ['a{x="1" 2\n', /^line 1 has labels/],
    ['a{x=1} 2\n', /^line 1 has labels/],
    ['a{x="1"y="2"} 2\n', /^line 1 has labels/],
    ['a{x="\\q"} 2\n', /^line 1 has labels/],
    ['a{,} 2\n', /^line 1 has labels/],
    ['a 1\nb 12', /^line 2 is not ended$/],
    ['\0\0\0\n', /^line 1 does not begin/],
  ];
  for (const [text, message] of garbage) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parse(text), { message }));
  }

  it('refuses long lines without trying every way to read them', () => {
    const label = `a{x="${'\\\\'.repeat(30_000)}`;
    assert.throws(() => parse(`${label}\n`), /line 1 has labels/);
    assert.throws(() => parse(`a ${' '.repeat(60_000)}x\n`), /line 1 has no value/);
    assert.throws(() => parse(`a 1${' '.repeat(60_000)}x\n`), /line 1 has no value/);
    assert.throws(() => parse(`a ${'1'.repeat(60_000)}x\n`), /line 1 has no value/);
  });

  it('reads a line of 65,536 characters, and refuses every longer one', () => {
    const value = 'x'.repeat(65_536 - 'a{x=""} 1'.length);
    assert.equal(parse(`a{x="${value}"} 1\n`)[0]?.labels['x'], value);
    for (const part of ['x', '\\\\']) {
      const [few, many] = [`a{x="${value}${part}"} 1\n`, `a{x="${part.repeat(10_000_000)}"} 1\n`];
      for (const text of [few, many, `b 1\n${many}`, `# ${many}`, part.repeat(10_000_000) + few])
        assert.throws(() => parse(text), {
          name: 'Error',
          message: /^line [12] has more than 65536 characters$/,
        });
    }
  });
});
