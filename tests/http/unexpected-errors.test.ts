// A command that fails unexpectedly is not run again on the thread for large requests.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { bodyText } from '../body-text.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { dataRoutesOver } from '../data-routes.js';

it('a command whose error cannot be reported fails, and runs once', async () => {
  const engine = checkedEngine(await openEmbedded(newDataDirectory()));
  let runs = 0;
  const readSchema = () => {
    runs += 1;
    throw new Error('the schema cannot be read');
  };
  const broken: Engine = Object.assign(Object.create(engine), { readSchema });
  let ids = 0;
  let largeCount = 0;
  const { answer } = dataRoutesOver(broken, {
    newId: () => {
      ids += 1;
      if (ids === 1) throw new Error('there is no id for the report');
      return randomUUID();
    },
    largeRequests: {
      answer: () => {
        largeCount += 1;
        return Promise.reject(new Error('the request is not large'));
      },
    },
  });
  try {
    const head = { method: 'POST', path: '/v1', query: '', remoteAddress: '', header: () => undefined };
    const reply = await answer({ ...head, body: Buffer.from('{"findKeyspaces":{}}') });
    assert.match(bodyText(reply), /UNEXPECTED_SERVER_ERROR/);
    assert.deepEqual([runs, largeCount], [1, 0]);
  } finally {
    await engine.close();
  }
});
