// Nothing is left half done: no marks for later, no test switched off, no warning silenced without a reason.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { readSources } from './read-sources.js';

/** A line that fits `pattern` breaks the rule, unless it fits `unless`. */
interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly unless?: RegExp;
}

const rules: readonly Rule[] = [
  { name: 'mark for later', pattern: /\b(TODO|FIXME|XXX|HACK|STUB|WIP)\b/ },
  { name: 'unfinished code', pattern: /throw new Error\(\s*['"`](not (yet )?implemented|unimplemented)/i },
  { name: 'single test', pattern: /\b(it|test|describe)\.only\(|\bonly: true\b/ },
  { name: 'test left for later', pattern: /\b(it|test|describe)\.todo\(|\btodo: (true|['"`])/ },
  // A skip says why in its options, or calls t.skip with the reason.
  { name: 'skip without a reason', pattern: /\b(it|test|describe)\.skip\(|\bskip: true\b|\.skip\(\)/ },
  { name: 'compiler silenced', pattern: /@ts-(ignore|nocheck)/ },
  {
    name: 'expected error without a reason',
    pattern: /@ts-expect-error/,
    unless: /@ts-expect-error:? \S+ \S+/,
  },
  {
    name: 'linter silenced without a reason',
    pattern: /biome-ignore/,
    unless: /biome-ignore(-all)? [\w/]+: (?!<explanation>)\S+ \S+/,
  },
];

/** This file spells the marks out. */
const thisFile = 'tests/tidy/no-unfinished-work.test.ts';

describe('the sources', () => {
  const sources = readSources().filter(({ path }) => path !== thisFile);
  for (const rule of rules) {
    it(`hold no ${rule.name}`, () => {
      const found = sources.flatMap(({ path, lines }) =>
        lines.flatMap((line, index) => (breaks(rule, line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
      );
      expectNone(found);
    });
  }
});

describe('the rules about unfinished work', () => {
  const broken: readonly string[] = [
    '// TODO: later',
    'const a = 1; // FIXME',
    "throw new Error('not implemented');",
    "it.only('a', () => {});",
    "it('a', { only: true }, () => {});",
    "test.todo('a');",
    "it('a', { skip: true }, () => {});",
    "describe.skip('a', () => {});",
    't.skip();',
    '// @ts-ignore because it is right',
    '// @ts-expect-error',
    '// biome-ignore lint/suspicious/noExplicitAny: <explanation>',
    '// biome-ignore lint/suspicious/noExplicitAny:',
  ];
  for (const line of broken) {
    it(`find ${line}`, () => {
      assert.equal(rules.filter((rule) => breaks(rule, line)).length, 1);
    });
  }

  const sound: readonly string[] = [
    "it('a', { skip: 'needs a registry' }, () => {});",
    "t.skip('no registry is reachable');",
    '// @ts-expect-error: a misspelt code must not compile',
    '// biome-ignore lint/suspicious/noExplicitAny: the driver gives any',
    'const todos = 1;',
    'readonly.only(1);',
  ];
  for (const line of sound) {
    it(`accept ${line}`, () => {
      expectNone(rules.filter((rule) => breaks(rule, line)).map(({ name }) => name));
    });
  }
});

function breaks({ pattern, unless }: Rule, line: string): boolean {
  return pattern.test(line) && unless?.test(line) !== true;
}
