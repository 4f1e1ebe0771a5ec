// Every code of the catalogue is thrown somewhere and shown by a test that names the whole error.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogue } from '../../src/data-service/errors/catalogue.js';
import { isTest, readSamples, readSources, type Source } from './read-sources.js';

/** One code of one group. The same name may stand in several groups. */
interface CatalogueCode {
  readonly group: string;
  readonly code: string;
  /** The beginning of a whole error in the tests of the wire, up to its title: `<REQUEST SCHEMA UNKNOWN_KEYSPACE: `. */
  readonly mark: string;
}

const codes: readonly CatalogueCode[] = Object.entries(catalogue).flatMap(
  ([group, { family, scope, codes }]) =>
    Object.keys(codes).map((code) => ({ group, code, mark: markOf(family, scope, code) })),
);

describe('the catalogue of errors', () => {
  const sources = readSources();

  it('has no code that is thrown nowhere', () => {
    assert.deepEqual(
      codes.filter((code) => !isThrown(code, sources)).map(({ group, code }) => `${group} ${code}`),
      [],
    );
  });

  it('has no code that no test on the wire gives', () => {
    assert.deepEqual(
      codes.filter((code) => !isShown(code, sources)).map(({ mark }) => mark),
      [],
    );
  });
});

describe('the rules about error codes', () => {
  const [first, second] = [
    { group: 'schema', code: 'UNKNOWN_KEYSPACE', mark: markOf('REQUEST', 'SCHEMA', 'UNKNOWN_KEYSPACE') },
    { group: 'request', code: 'COMMAND_UNKNOWN', mark: markOf('REQUEST', '', 'COMMAND_UNKNOWN') },
  ];

  it('find a code that nothing throws, or only a test, or only for another group', () => {
    const thrown = (path: string, text: string) => isThrown(first, readSamples({ [path]: text }));
    assert.equal(thrown('src/a.ts', `throw apiError('schema', 'UNKNOWN_KEYSPACE', {});`), true);
    assert.equal(thrown('src/a.ts', `throw apiError(\n  'schema',\n  'UNKNOWN_KEYSPACE',\n  {},\n);`), true);
    assert.equal(thrown('src/a.test.ts', `throw apiError('schema', 'UNKNOWN_KEYSPACE', {});`), false);
    assert.equal(thrown('src/a.ts', `throw apiError('database', 'UNKNOWN_KEYSPACE', {});`), false);
    assert.equal(thrown('src/a.ts', `throw apiError('schema', 'UNKNOWN_KEYSPACES', {});`), false);
    assert.equal(thrown('src/a.ts', `const code = 'UNKNOWN_KEYSPACE';`), false);
  });

  it('find a code that no test of the wire, of faults or of a cluster shows with its family and scope', () => {
    const shown = (code: CatalogueCode, path: string, text: string) =>
      isShown(code, readSamples({ [path]: text }));
    const whole = `'{"errors":[<REQUEST SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown>]}'`;
    assert.equal(shown(first, 'tests/wire/a.test.ts', whole), true);
    assert.equal(shown(first, 'tests/faults/a.test.ts', whole), true);
    assert.equal(shown(first, 'tests/cassandra/a.test.ts', whole), true);
    // Tests may name an error by the part that their reply puts between the brackets.
    assert.equal(shown(first, 'tests/wire/a.test.ts', `'SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown'`), true);
    assert.equal(shown(first, 'tests/tidy/a.test.ts', whole), false);
    assert.equal(
      shown(first, 'tests/wire/a.test.ts', `'<REQUEST FILTER UNKNOWN_KEYSPACE: Keyspace unknown>'`),
      false,
    );
    assert.equal(shown(first, 'tests/wire/a.test.ts', `// SCHEMA UNKNOWN_KEYSPACE: in a comment`), false);
    assert.equal(shown(second, 'tests/wire/a.test.ts', `'<REQUEST COMMAND_UNKNOWN: Command unknown>'`), true);
    assert.equal(
      shown(second, 'tests/wire/a.test.ts', `'<REQUEST SCHEMA COMMAND_UNKNOWN: Command unknown>'`),
      false,
    );
  });
});

function markOf(family: string, scope: string, code: string): string {
  return `<${family} ${scope === '' ? '' : `${scope} `}${code}: `;
}

function isThrown({ group, code }: CatalogueCode, sources: readonly Source[]): boolean {
  const call = new RegExp(`apiError\\(\\s*'${group}',\\s*'${code}',`);
  return sources.some(
    (source) => source.path.startsWith('src/') && !isTest(source) && call.test(source.text),
  );
}

function isShown({ mark }: CatalogueCode, sources: readonly Source[]): boolean {
  const withoutFamily = mark.replace(/^<\w+ /, '');
  // What stands before the mark: the opening of an error, or of the string that holds a part of one.
  const isIn = (line: string) =>
    line.includes(mark) || ["'", '`'].some((quote) => line.includes(`${quote}${withoutFamily}`));
  return sources
    .filter(({ path }) => /^tests\/(wire|faults|cassandra)\/.*\.test\.ts$/.test(path))
    .some(({ lines }) => lines.some((line) => !/^\s*(\/\/|\*|\/\*)/.test(line) && isIn(line)));
}
