// Native queries over the operations port: what their clients do while they wait.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OpsError } from '../../src/ops-service/errors/ops-error.js';
import { openOps } from './open-ops.js';

it('a native query learns that its client has left', async () => {
  let leave = () => {};
  const { ask } = openOps({
    answers: {
      runNative: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () =>
            reject(new OpsError('Unavailable', 'its client disconnected')),
          );
          leave();
        }),
    },
  });
  const onGone = (listener: () => void) => {
    leave = listener;
  };
  const { status } = await ask({ path: '/local/cql', body: { query: 'SELECT * FROM k.t' }, onGone });
  assert.equal(status, 503);
});
