// Every decision has a number of its own, a title and a date, and holds.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { expectNone } from './expect-none.js';
import { projectRoot } from './read-sources.js';

describe('docs/decisions', () => {
  it('holds numbered, titled, dated decisions', () => {
    const folder = join(projectRoot, 'docs', 'decisions');
    // README.md is the index.
    const names = existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name !== 'README.md')
          .sort()
      : [];
    const files = names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
    expectNone(breachesIn(files));
    const index = readFileSync(join(folder, 'README.md'), 'utf8');
    const linked = files.flatMap(({ name, text }) =>
      [...text.matchAll(/\]\((\d{4}-[^)#]+)/g)].map(([, target = '']) => ({ name, target })),
    );
    expectNone(
      linked
        .filter(({ target }) => !names.includes(target))
        .map(({ name, target }) => `${name} names ${target}, which does not exist`),
    );
    expectNone(
      names.filter((name) => !index.includes(`](${name})`)).map((name) => `${name} is not in the index`),
    );
  });
});

describe('the rule about decisions', () => {
  const sound = '# Rows have typed columns\n\n2026-01-31\n\nBecause.\n';

  it('accepts numbered files with a title and a date', () => {
    const files = [
      { name: '0001-typed-columns.md', text: sound },
      { name: '0002-other.md', text: sound },
    ];
    expectNone(breachesIn(files));
  });

  it('finds a decision that no longer holds', () => {
    const text = sound.replace('Because.', 'Status: accepted, 2026-01-31; [0002](0002-b.md) replaces a part');
    assert.equal(breachesIn([{ name: '0001-a.md', text }]).length, 1);
  });

  it('finds a wrong name, a number used twice, a missing title and a missing date', () => {
    const find = (...files: readonly (readonly [name: string, text: string])[]) =>
      breachesIn(files.map(([name, text]) => ({ name, text }))).length;
    assert.equal(find(['0001-A_b.md', sound]), 1);
    assert.equal(find(['typed.md', sound]), 1);
    assert.equal(find(['0001-a.md', sound], ['0001-b.md', sound]), 1);
    assert.equal(find(['0001-a.md', sound], ['0003-b.md', sound]), 0);
    assert.equal(find(['0001-a.md', 'Text first.\n2026-01-31']), 1);
    assert.equal(find(['0001-a.md', '# Title\n\nNo day.']), 1);
  });
});

interface Decision {
  readonly name: string;
  readonly text: string;
}

function breachesIn(decisions: readonly Decision[]): readonly string[] {
  return decisions.flatMap(({ name, text }, index) => {
    const isNamed = /^\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(name);
    const isTaken = decisions.slice(0, index).some((other) => other.name.slice(0, 4) === name.slice(0, 4));
    return [
      ...(isNamed ? [] : [`${name} is not a number of four digits with a kebab-case name`]),
      ...(isTaken ? [`${name} has the number of another`] : []),
      ...(/^# \S/.test(text) ? [] : [`${name} does not begin with its title`]),
      ...(/\b20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b/.test(text) ? [] : [`${name} has no date`]),
      ...(/^Status:.*replace/im.test(text)
        ? [`${name} or a part of it does not hold: merge it into its successor`]
        : []),
    ];
  });
}
