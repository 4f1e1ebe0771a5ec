// How many rules and channels a cluster may have, filled up to the last one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpsReply, openOps } from './open-ops.js';

const rulesPath = '/local/alert-rules';
const channelsPath = '/local/notification-channels';

function messageOf({ body }: OpsReply): string {
  return (body as { message: string }).message; // an error of the operations port
}

describe('a cluster', () => {
  it('has at most 1,000 alert rules', async () => {
    const ops = openOps();
    const body = { type: 'node-down', enabled: 0 };
    const send = () => ops.ask({ path: rulesPath, body });
    const first = await send();
    // A new installation has two.
    for (let count = 3; count < 1000; count += 1) assert.equal((await send()).status, 201);
    const refused = await send();
    assert.equal(refused.status, 409);
    assert.equal(messageOf(refused), 'a cluster has at most 1000 alert rules: delete one first');
    await ops.ask({ method: 'DELETE', path: `${rulesPath}/${first.body}` });
    assert.equal((await send()).status, 201);
  });

  it('has at most 200 notification channels', async () => {
    const ops = openOps();
    const body = { type: 'webhook', url: 'http://127.0.0.1:9/' };
    const send = () => ops.ask({ path: channelsPath, body });
    const first = await send();
    for (let count = 1; count < 200; count += 1) assert.equal((await send()).status, 201);
    const refused = await send();
    assert.equal(refused.status, 409);
    assert.equal(messageOf(refused), 'a cluster has at most 200 notification channels: delete one first');
    await ops.ask({ method: 'DELETE', path: `${channelsPath}/${first.body}` });
    assert.equal((await send()).status, 201);
  });
});
