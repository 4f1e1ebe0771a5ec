// Tests of the tools that change data: what a cancelled call does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import { type DataPort, errorText } from '../data-port.js';
import { Interrupted } from '../port-problems.js';
import { writeTools } from './write-tools.js';

describe('a tool that changes all that match', () => {
  it('sends no further command when its call is cancelled, and says what it changed', async () => {
    const cancel = new AbortController();
    let commands = 0;
    const ask: DataPort['ask'] = async () => {
      commands += 1;
      if (commands === 2) cancel.abort();
      const status = new Map<string, JsonValue>([
        ['deletedCount', new JsonNumber('20')],
        ['moreData', commands < 5],
      ]);
      return { data: new Map(), status, errors: [] };
    };
    const run: DataPort['run'] = async (...command) => {
      const reply = await ask(...command);
      assert.equal(reply.errors.map(errorText).join(), '');
      return reply;
    };
    const context = { port: { url: '', ask, run }, keyspace: 'k', cancelled: cancel.signal };
    const remove = writeTools.find(({ name }) => name === 'delete');
    assert.ok(remove !== undefined);
    const values = { name: 'c', filter: { a: 1 }, many: true };
    await assert.rejects(remove.run(values, context), (error) => {
      assert.ok(error instanceof Interrupted);
      assert.match(error.message, /until then: \{"deletedCount":40\}/);
      return true;
    });
    assert.equal(commands, 2);
  });
});
