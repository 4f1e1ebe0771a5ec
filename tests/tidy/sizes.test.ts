// Files, functions and lines stay short enough to be read at one go.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { isTest, readSamples, readSources, type Source } from './read-sources.js';

const budget = {
  sourceLines: 400,
  testLines: 800,
  functionLines: 60,
  lineLength: 120,
  medianSourceLines: 100,
};

/** A line that is one text: broken up, a message could not be searched for. */
const oneText = /^\s*(\w+: )?(['"`]).*\2[,;]?$/;

/** Files that may be longer than the budget, each with the reason. */
const longFiles: Readonly<Record<string, string>> = {};

/** Functions (`path:line of its beginning`) that may be longer than the budget, each with the reason. */
const longFunctions: Readonly<Record<string, string>> = {};

describe('sizes', () => {
  const sources = readSources();

  it('keeps files within the budget', () => {
    expectNone(longFilesOf(sources).filter((found) => !(pathOf(found) in longFiles)));
  });

  it('keeps the median source file within 100 lines', () => {
    const counts = sources
      .filter((source) => source.path.startsWith('src/') && !isTest(source))
      .map(lineCount);
    const median = counts.sort((left, right) => left - right)[Math.floor(counts.length / 2)] ?? 0;
    assert.ok(median <= budget.medianSourceLines, `the median source file has ${median} lines`);
  });

  it('keeps functions within 60 lines', () => {
    expectNone(longFunctionsOf(sources).filter((found) => !(pathOf(found) in longFunctions)));
  });

  it('keeps lines within 120 characters', () => {
    expectNone(longLinesOf(sources));
  });

  it('lists no exception that is not needed', () => {
    const needed = [...longFilesOf(sources), ...longFunctionsOf(sources)].map(pathOf);
    const listed = [...Object.keys(longFiles), ...Object.keys(longFunctions)];
    expectNone(listed.filter((path) => !needed.includes(path)));
  });
});

describe('the rules about sizes', () => {
  const body = (lines: number) => 'void 0;\n'.repeat(lines);

  it('find a source file of 401 lines and a test file of 801', () => {
    const found = (path: string, lines: number) => longFilesOf(readSamples({ [path]: body(lines) })).length;
    assert.deepEqual([found('src/a.ts', 400), found('src/a.ts', 401)], [0, 1]);
    assert.deepEqual([found('src/a.test.ts', 800), found('src/a.test.ts', 801)], [0, 1]);
    assert.equal(found('tests/a.ts', 401), 0);
  });

  it('find a function of 61 lines, but leave the body of a describe alone', () => {
    const found = (text: string) => longFunctionsOf(readSamples({ 'src/a.ts': text })).length;
    assert.equal(found(`function a() {\n${body(58)}}`), 0);
    assert.equal(found(`function a() {\n${body(59)}}`), 1);
    assert.equal(found(`it('a', async () => {\n${body(59)}});`), 1);
    assert.equal(found(`describe('a', () => {\n${body(59)}});`), 0);
  });

  it('find a line of 121 characters that is not one text', () => {
    const found = (length: number) => longLinesOf(readSamples({ 'src/a.ts': `//${'x'.repeat(length - 2)}` }));
    expectNone(found(120));
    assert.deepEqual(found(121), ['src/a.ts:1 has 121 characters']);
    const text = `  when: '${'x'.repeat(120)}',\nconst a = '${'x'.repeat(120)}';`;
    assert.equal(longLinesOf(readSamples({ 'src/a.ts': text })).length, 1);
  });
});

function longFilesOf(sources: readonly Source[]): readonly string[] {
  return sources
    .filter((source) => lineCount(source) > (isTest(source) ? budget.testLines : budget.sourceLines))
    .map((source) => `${source.path} has ${lineCount(source)} lines`);
}

function longFunctionsOf(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, functions }) =>
    functions
      .filter(({ isSuite, lineCount }) => !isSuite && lineCount > budget.functionLines)
      .map(({ line, lineCount }) => `${path}:${line} is a function of ${lineCount} lines`),
  );
}

function longLinesOf(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      line.length > budget.lineLength && !oneText.test(line)
        ? [`${path}:${index + 1} has ${line.length} characters`]
        : [],
    ),
  );
}

function lineCount({ lines }: Source): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

function pathOf(found: string): string {
  return found.split(' ')[0] ?? found;
}
