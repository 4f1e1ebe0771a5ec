// A name that is made of that of a file is one that the service accepts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameOfFile } from './name-of-file.js';

describe('the name of a file as that of a table', () => {
  const none: ReadonlySet<string> = new Set();

  it('has no ends that say how the file is written, and only letters, digits and underscores', () => {
    assert.equal(nameOfFile('trips.csv', none), 'trips');
    assert.equal(nameOfFile('Trips 2024 (1).json.gz', none), 'Trips_2024_1');
    assert.equal(nameOfFile('__caf\u00e9--bars.v2.tsv.zst', none), 'cafe_bars_v2');
    assert.equal(nameOfFile('\u65c5.csv', none), '');
  });

  it('has at most 48 characters, also with a number', () => {
    const long = 'a'.repeat(60);
    const name = nameOfFile(`${long}.csv`, none);
    assert.equal(name, 'a'.repeat(48));
    assert.equal(nameOfFile(`${long}.csv`, new Set([name])), `${'a'.repeat(46)}_2`);
    assert.equal(nameOfFile(`${'a'.repeat(47)} b.csv`, none), 'a'.repeat(47));
  });

  it('is none of those that are taken', () => {
    assert.equal(nameOfFile('a.csv', new Set(['a', 'a_2'])), 'a_3');
  });
});
