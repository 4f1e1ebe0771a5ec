// Checks the work under way of a thread: how it is found and taken, and that nothing keeps it after its answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runProgram } from './processes/run-program.js';
import { UnderWay } from './under-way.js';

const own = fileURLToPath(import.meta.url);
/** More than three times the number that fits into its ring. */
const many = 3_100;

if (process.argv[2] === 'many requests') sendMany();
else
  describe('work under way', () => {
    it('is taken by its id, once', () => {
      const works = new UnderWay<string>();
      const ids = ['a', 'b', 'c'].map((work) => works.add(work));
      assert.deepEqual(ids, [1, 2, 3]);
      assert.equal(works.take(2), 'b');
      assert.equal(works.take(2), undefined);
      assert.equal(works.take(4), undefined);
      assert.equal(works.count, 2);
      assert.deepEqual([...works.works()], ['a', 'c']);
      assert.deepEqual(works.takeAll(), ['a', 'c']);
      assert.equal(works.count, 0);
    });

    it('is taken in the order of its ids, and up to an id', () => {
      const works = new UnderWay<number>();
      for (let number = 1; number <= many; number += 1) works.add(number);
      assert.equal(works.count, many);
      assert.equal(works.takeFirst(), 1);
      assert.deepEqual(
        [...works.takeThrough(4)],
        [
          [2, 2],
          [3, 3],
          [4, 4],
        ],
      );
      assert.deepEqual([...works.takeThrough(4)], []);
      assert.equal(works.take(many), many);
      assert.deepEqual(
        works.takeAll(),
        Array.from({ length: many - 5 }, (_, at) => at + 5),
      );
      assert.equal(works.takeFirst(), undefined);
    });

    it('is found behind many later ids, in any order', () => {
      const works = new UnderWay<string>();
      const slow = works.add('slow');
      for (let number = 0; number < many; number += 1) {
        const id = works.add('quick');
        assert.equal(works.take(id), 'quick');
      }
      const last = works.add('last');
      assert.equal(works.count, 2);
      assert.equal(works.take(slow), 'slow');
      assert.equal(works.take(slow), undefined);
      assert.equal(works.takeFirst(), 'last');
      assert.equal(works.take(last), undefined);
    });

    it('does not outlive its answer', async () => {
      // Other versions of Node may have a larger young generation, which is collected a few times only.
      const flags = ['--trace-gc-nvp', '--max-semi-space-size=4'];
      const words = [process.execPath, ...flags, own, 'many requests'];
      const limits = { environment: {}, timeoutMs: 60_000, outputBytes: 10_000_000 };
      const { output } = await runProgram(words, limits);
      const lines = output.split('\n');
      const scavenges = lines.filter((line) => line.includes(' gc=s '));
      const promoted = scavenges.map((line) => Number(/ promoted=(\d+)/.exec(line)?.[1]));
      assert.ok(promoted.length > 20, output);
      const later = promoted.slice(promoted.length / 2);
      // With a Map, nearly all of the 4 MB and more between two scavenges get old.
      assert.ok(
        later.every((bytes) => bytes < 500_000),
        later.join(', '),
      );
    });
  });

/** 64 requests of 1 KB are always under way. */
function sendMany(): void {
  const works = new UnderWay<number[]>();
  for (let number = 0; number < 400_000; number += 1) {
    const id = works.add(Array.from({ length: 120 }, () => number));
    if (id > 64) works.take(id - 64);
  }
}
