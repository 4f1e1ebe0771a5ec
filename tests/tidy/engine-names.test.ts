// An engine brings itself: nothing outside its folders asks which engine there is, or knows what only one engine has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { isTest, readSamples, readSources, type Source } from './read-sources.js';

/** The folders of the engines, and the two lists of them. */
const own = [
  'src/data-service/engine/embedded/',
  'src/data-service/engine/cassandra/',
  'src/foundation/config/engines/',
  'src/bin/engines/registry.ts',
];

const names = `['"\`](?:embedded|cassandra)['"\`]`;
const compared = new RegExp(`[!=]==? ?${names}|${names} ?[!=]==?|case ${names}|${names}, ${names}`);
const ofOneEngine = /\b(?:writeTime|hasNoGuests|EngineHost|ChangeHost)\b/;

describe('the names of engines', () => {
  it('are compared in the folders of the engines only', () => {
    expectNone(namedIn(readSources()));
  });
});

describe('the rule about names of engines', () => {
  const found = (path: string, text: string) => namedIn(readSamples({ [path]: text })).length;

  it('finds comparisons, cases, lists and what only one engine has', () => {
    assert.equal(found('src/bin/a.ts', `if (config.engine === 'embedded') a();`), 1);
    assert.equal(found('console/app/a.ts', `const isCluster = 'cassandra' !== engine;`), 1);
    assert.equal(found('src/cli/a.ts', `switch (a) {\n  case 'embedded':\n}`), 1);
    assert.equal(found('src/cli/a.ts', `const a = ['embedded', 'cassandra'];`), 1);
    assert.equal(found('src/bin/a.ts', `const writeTime = 1;`), 1);
  });

  it('accepts them in the folders of the engines, in tests, and as names of other things', () => {
    assert.equal(found('src/data-service/engine/embedded/a.ts', `const a = b === 'embedded';`), 0);
    assert.equal(found('src/cli/a.test.ts', `const a = b === 'embedded';`), 0);
    assert.equal(found('src/cli/a.ts', `const a = b.writeTimeout;`), 0);
  });
});

function namedIn(sources: readonly Source[]): readonly string[] {
  const isOwn = ({ path }: Source) => own.some((folder) => path.startsWith(folder));
  const others = sources.filter(
    (source) => /^(src|console)\//.test(source.path) && !isTest(source) && !isOwn(source),
  );
  return others.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      compared.test(line) || ofOneEngine.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
    ),
  );
}
