// In a process of its own, in which V8 reports what it counts to choose a generation.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../processes/run-program.js';
import { switchOffPretenuring } from './pretenuring.js';

const own = fileURLToPath(import.meta.url);

/** Objects of one place in the code, which survive for a while. */
function makeSurvivors(): number {
  let kept: object[] = [];
  for (let made = 0; made < 2_000_000; made += 1) {
    if (made % 400_000 === 0) kept = [];
    kept.push({ made, list: [made, made + 1] });
  }
  return kept.length;
}

async function reportOf(mode: string): Promise<string> {
  const words = [process.execPath, '--trace-pretenuring-statistics', own, mode];
  const { output } = await runProgram(words, { environment: {}, timeoutMs: 60_000, outputBytes: 100_000 });
  return output;
}

switch (process.argv[2]) {
  case 'without':
    switchOffPretenuring();
    console.log(makeSurvivors());
    break;
  case 'with':
    console.log(makeSurvivors());
    break;
  default:
    describe('pretenuring', () => {
      it('is off after it was switched off, and on before', async () => {
        assert.match(await reportOf('with'), /AllocationSite\(.+ => (?:maybe )?tenure/);
        assert.equal(await reportOf('without'), '400000\n');
      });
    });
}
