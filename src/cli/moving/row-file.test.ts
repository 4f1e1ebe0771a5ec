// Checks that a file grows by whole pieces, is cut after a kill, and is read line by line.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openRowWriter, RowFileProblem, readLines } from './row-file.js';

let directory: string;

async function linesOf(path: string, isCompressed: boolean, skipped?: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const group of readLines(path, isCompressed, skipped))
    lines.push(...group.map(({ number, text }) => `${number} ${text}`));
  return lines;
}

describe('a row file', () => {
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'colonnade-rows-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  for (const isCompressed of [false, true]) {
    const kind = isCompressed ? 'compressed' : 'plain';

    it(`grows by pieces and is cut to the recorded length (${kind})`, async () => {
      const path = join(directory, `grows-${kind}`);
      const writer = await openRowWriter(path, 0, isCompressed);
      const first = await writer.append('a\nb\n');
      await writer.append('lost\n');
      await writer.close();
      appendFileSync(path, 'a part of a piece');

      const again = await openRowWriter(path, first, isCompressed);
      assert.equal(await again.append('c\né\n'), statSync(path).size);
      await again.close();
      assert.deepEqual(await linesOf(path, isCompressed), ['1 a', '2 b', '3 c', '4 é']);
      assert.deepEqual(await linesOf(path, isCompressed, 2), ['3 c', '4 é']);
    });

    it(`has lines longer than what is read at a time (${kind})`, async () => {
      const path = join(directory, `long-${kind}`);
      const long = 'é'.repeat(500_001);
      const writer = await openRowWriter(path, 0, isCompressed);
      await writer.append(`x\n${long}\n`);
      await writer.append('y\n');
      await writer.close();
      assert.deepEqual(await linesOf(path, isCompressed), ['1 x', `2 ${long}`, '3 y']);
    });
  }

  it('is refused when it is shorter than recorded, or when another process writes to it', async () => {
    const path = join(directory, 'short');
    writeFileSync(path, 'a\n');
    await assert.rejects(openRowWriter(path, 3, false), /short has 2 bytes, but 3 were written to it/);
    const writer = await openRowWriter(path, 2, false);
    appendFileSync(path, 'other\n');
    await assert.rejects(writer.append('b\n'), /another process writes to it/);
    await writer.close();
    assert.equal(readFileSync(path, 'utf8'), 'a\nother\n');
  });

  it('is refused when it is damaged', async () => {
    const path = join(directory, 'damaged');
    writeFileSync(path, 'a\nb');
    await assert.rejects(linesOf(path, false), /ends in the middle of line 2/);
    const writer = await openRowWriter(path, 0, true);
    await writer.append('a\n');
    await writer.close();
    truncateSync(path, statSync(path).size - 4);
    await assert.rejects(linesOf(path, true), RowFileProblem);
    await assert.rejects(linesOf(join(directory, 'none'), false), /none cannot be read: ENOENT/);
  });
});
