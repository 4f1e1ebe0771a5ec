// Texts for people use plain technical English: standard terms, no idioms.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { committedFiles } from './committed-files.js';
import { expectNone } from './expect-none.js';
import { projectRoot } from './read-sources.js';

/** Words and idioms that are not used, each with what to write instead. Names of members are not looked at. */
const avoided: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(?<![.\w])(tells?|told|telling)\b(?!"?:)/i, 'report, notify, say, show'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\banew\b/i, 'again'],
  [/\bwhoever\b/i, 'the code that, the client that'],
  [/\bto be had\b/i, 'available'],
  [/(?<![.\w])(hears?|heard)\b/i, 'get, be notified'],
  [/\b(go|goes|going|went) round\b/i, 'repeat, bypass'],
  [/\b(lets?|letting) go\b/i, 'release'],
  [/\bin vain\b/i, 'without a result'],
  [/\bof ours\b/i, 'of the server'],
  [/\bof its own accord\b/i, 'by itself'],
  [/\bunasked\b/i, 'unexpectedly'],
  [/\bby the hundreds?\b/i, 'in hundreds'],
  [/(?<!there )\b(is|are) no (?!longer\b|more\b|faster\b)[a-z]/i, 'is not a'],
  [/\bfor good\b/i, 'permanently'],
  [/\bonce more\b/i, 'again'],
  [/\b(go|goes|going|went|gone) on\b/i, 'continue'],
  [/\bgiv(e|es|en|ing) back\b/i, 'return, release'],
  [/\b(somebody|anybody)\b/i, 'the client, other code'],
  [/\bthe very (same|text|columns?|list)\b/i, 'the same, identical'],
  [/\bhalf way\b/i, 'during'],
  [/\bin the wild\b/i, 'in real use'],
  [/\bbut for (?!each\b|every\b|the\b|a\b)/i, 'except'],
  [/\bthe road\b/i, 'the steps, runCommand'],
  [/\blest\b/i, 'so that … not'],
  [/\bas it were\b/i, 'nothing'],
  [/\bgo(es)? under\b/i, 'has the name'],
  [/\bparted from\b/i, 'disconnected, closed'],
  [/\b(pay(s|ing)? (no )?heed|heedless)\b/i, 'ignore'],
  [/\bstretch(es)? of time\b/i, 'period, time range'],
  [/\bspared\b/i, 'need not, without'],
  [/\b(leads?|led) nowhere\b/i, 'has no result'],
];

const thisFile = 'tests/tidy/words.test.ts';
const isText = /\.(md|tsx?|css|html|mjs|py|txt)$/;

describe('texts for people', () => {
  const files = committedFiles().filter((path) => isText.test(path) && path !== thisFile);

  it('use standard terms', () => {
    expectNone(files.flatMap((path) => breachesIn(path, textOf(path))));
  });
});

describe('the rule about words', () => {
  it('finds words that are not used, with what to write instead', () => {
    const found = breachesIn('a.md', 'It tells\nwhoever asks.');
    assert.deepEqual(found, [
      'a.md:1 "tells": report, notify, say, show',
      'a.md:2 "whoever": the code that, the client that',
    ]);
  });

  it('accepts words that only contain them, and members of objects', () => {
    expectNone(breachesIn('a.ts', "link.tell('x'); const { told: x } = stored; amended teller heart"));
  });
});

function textOf(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

function breachesIn(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, at) =>
    avoided.flatMap(([pattern, instead]) => {
      const found = pattern.exec(line);
      return found === null ? [] : [`${path}:${at + 1} "${found[0]}": ${instead}`];
    }),
  );
}
