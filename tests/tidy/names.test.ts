// Names say what a thing is, files say what they are for, and comments say more than the name below them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { readSamples, readSources, type Source } from './read-sources.js';

/** General words that do not say what a file contains. */
const generalWords = ['utils', 'util', 'common', 'helpers', 'helper', 'shared', 'types', 'misc'];
// The data service, the ops service and embedding services are terms of the project.
const emptySuffix =
  /(Manager|Helper|(?<!Data|Ops|Embedding)Service|Impl|Base|Abstract)$|^(Abstract|Base)[A-Z]/;
const fileName = /^[a-z0-9]+(-[a-z0-9]+)*((\.long)?\.test|\.as)?\.tsx?$/;
const folderName = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Words of a comment that say nothing by themselves. */
const smallWords = new Set(
  'a an the of is it its to in for and or as that this which are with by on at one each what all'.split(' '),
);

/** The name that a line declares. */
function nameIn(line: string): string | undefined {
  const declared =
    /\b(?:function\*?|class|interface|type|const|let) ([\w$]+)/.exec(line) ??
    /^\s*(?:(?:readonly|static|async|private|get|abstract) )*#?([\w$]+)/.exec(line);
  return declared?.[1];
}

/** The words of a text in small letters, without the usual endings. */
function stemsIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z\d]+/g) ?? [];
  return words.map((word) => word.replace(/(?<=...)(ings?|ies|e?[sd]|e)$/, ''));
}

/** A rule gives one sentence for each breach in a file. */
type Rule = (source: Source) => readonly string[];

const rules = {
  'has kebab-case names that are not general words': ({ path }) => {
    const parts = path.split('/');
    const name = parts.at(-1) ?? '';
    const misnamed = !fileName.test(name) || !parts.slice(0, -1).every((folder) => folderName.test(folder));
    const stems = parts.map((part) => part.replace(/((\.long)?\.test)?\.tsx?$/, ''));
    const isGeneral = stems.some((stem) => generalWords.includes(stem));
    return misnamed || isGeneral ? [`${path} is not named for what it holds`] : [];
  },
  'exports no name with an empty suffix': ({ path, exports }) =>
    exports
      .filter(({ name }) => emptySuffix.test(name))
      .map(({ name, line }) => `${path}:${line} ${name} says less than it could`),
  'has no default export': ({ path, exports }) =>
    exports
      .filter(({ name }) => name === 'default')
      .map(({ line }) => `${path}:${line} has a default export`),
  'does not only re-export': ({ path, isBarrel }) => (isBarrel ? [`${path} only re-exports`] : []),
  'begins with a comment that says what it is for': ({ path, lines }) => {
    const first = lines[0]?.startsWith('#!') === true ? lines[1] : lines[0];
    return first !== undefined && /^(\/\/ |\/\*\*? )\S/.test(first)
      ? []
      : [`${path} does not say what it is for`];
  },
  'has no doc comment that only repeats a name': ({ path, lines }) =>
    lines.flatMap((line, at) => {
      const [, comment] = /^\s*\/\*\* (.*) \*\/$/.exec(line) ?? [];
      const name = nameIn(lines[at + 1] ?? '');
      if (comment === undefined || name === undefined) return [];
      const known = stemsIn(name.replace(/[A-Z]/g, ' $&'));
      const said = stemsIn(comment).filter((stem) => !smallWords.has(stem));
      return said.every((stem) => known.includes(stem))
        ? [`${path}:${at + 1} says no more than ${name}`]
        : [];
    }),
} satisfies Record<string, Rule>;

describe('every source file', () => {
  const sources = readSources();
  for (const [sentence, rule] of Object.entries(rules)) {
    it(sentence, () => {
      expectNone(sources.flatMap(rule));
    });
  }
});

describe('the rules about names', () => {
  const cases: readonly (readonly [
    rule: keyof typeof rules,
    path: string,
    text: string,
    breaches: number,
  ])[] = [
    ['has kebab-case names that are not general words', 'src/a-b/c-d.test.ts', '', 0],
    ['has kebab-case names that are not general words', 'src/a-b/c-d.long.test.ts', '', 0],
    ['has kebab-case names that are not general words', 'src/a-b/c-d.long.ts', '', 1],
    ['has kebab-case names that are not general words', 'src/aB/c.ts', '', 1],
    ['has kebab-case names that are not general words', 'src/a/cD.ts', '', 1],
    ['has kebab-case names that are not general words', 'src/a/snake_case.ts', '', 1],
    ['has kebab-case names that are not general words', 'src/utils/a.ts', '', 1],
    ['has kebab-case names that are not general words', 'src/a/helpers.test.ts', '', 1],
    ['has kebab-case names that are not general words', 'src/column-types/a.ts', '', 0],
    ['exports no name with an empty suffix', 'src/a.ts', 'export class RowManager {}', 1],
    [
      'exports no name with an empty suffix',
      'src/a.ts',
      'export class AbstractRow {}\nexport type Basement = 1;',
      1,
    ],
    ['exports no name with an empty suffix', 'src/a.ts', 'class RowManager {}', 0],
    ['exports no name with an empty suffix', 'src/a.ts', 'export class RowService {}', 1],
    ['exports no name with an empty suffix', 'src/a.ts', 'export class DataService {}', 0],
    ['has no default export', 'src/a.ts', 'export default class A {}', 1],
    ['has no default export', 'src/a.ts', 'const a = 1;\nexport default a;', 1],
    ['does not only re-export', 'src/a.ts', `export * from './b.js';`, 1],
    ['begins with a comment that says what it is for', 'src/a.ts', '// What it is.\n', 0],
    [
      'begins with a comment that says what it is for',
      'src/a.ts',
      '#!/usr/bin/env node\n// What it is.\n',
      0,
    ],
    ['begins with a comment that says what it is for', 'src/a.ts', '\n// What it is.\n', 1],
    ['begins with a comment that says what it is for', 'src/a.ts', '//\n', 1],
    ['begins with a comment that says what it is for', 'src/a.ts', '', 1],
    [
      'has no doc comment that only repeats a name',
      'src/a.ts',
      '/** A tool. */\nexport interface McpTool {',
      1,
    ],
    [
      'has no doc comment that only repeats a name',
      'src/a.ts',
      '  /** The names. */\n  readonly name: string;',
      1,
    ],
    [
      'has no doc comment that only repeats a name',
      'src/a.ts',
      '/** The tool with keys. */\nconst tool = 1;',
      0,
    ],
    ['has no doc comment that only repeats a name', 'src/a.ts', 'export interface McpTool {', 0],
  ];
  for (const [rule, path, text, breaches] of cases) {
    it(`${breaches === 0 ? 'accept' : 'find'} ${JSON.stringify(text)} in ${path}: ${rule}`, () => {
      assert.equal(readSamples({ [path]: text }).flatMap(rules[rule]).length, breaches);
    });
  }
});
