// The process that answers questions, with a module of the test.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ModuleProcess } from './module-process.js';

interface Question {
  readonly ends: boolean;
}

describe('a process that answers questions', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-module-'));
  const ending = new AbortController();
  after(() => {
    ending.abort();
    rmSync(directory, { recursive: true });
  });
  const module = join(directory, 'module.mjs');
  writeFileSync(
    module,
    "process.on('message', ({ ends }) => (ends ? process.exit() : process.send({ numbers: new Float64Array(9) })));\n" +
      "process.on('disconnect', () => process.exit());\nprocess.send('ready');\n",
  );
  const start = () =>
    ModuleProcess.start<Question, { readonly numbers: Float64Array }>(
      pathToFileURL(module),
      {},
      ending.signal,
    );

  it('keeps no answer until its end', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const running = await start();
    const answers: WeakRef<object>[] = [];
    for (let asked = 0; asked < 500; asked += 1)
      answers.push(new WeakRef(await running.ask({ ends: false })));
    const kept = () => answers.filter((answer) => answer.deref() !== undefined).length;
    // A collection that finds another one under way leaves some, and the last ones may be on their way to the test.
    for (let turn = 0; turn < 100 && kept() >= 50; turn += 1) {
      await nextTurn();
      collect();
      await nextTurn();
    }
    assert.ok(kept() < 50, `${kept()} answers are kept`);
    await running.kill();
  });

  it('rejects the question during which it ends, and those after it', async () => {
    const running = await start();
    await assert.rejects(running.ask({ ends: true }), /the process ended/);
    await running.ended;
    await assert.rejects(running.ask({ ends: false }), /the process ended/);
  });
});
