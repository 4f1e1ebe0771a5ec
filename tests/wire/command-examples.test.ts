// The examples of docs/commands.md are what a server really says.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands } from '../../src/data-service/commands/registry.js';
import { commandExamples, examplesOf } from '../../tools/command-examples.js';
import { useWireServer } from './wire-server.js';

describe('the examples of the commands', () => {
  const { send } = useWireServer();

  it('show every command', () => {
    const hidden = commands.filter((command) => examplesOf(command).length === 0);
    assert.deepEqual(
      hidden.map(({ target, name }) => `${target} ${name}`),
      [],
    );
  });

  for (const { command, path, request, reply } of commandExamples) {
    it(`are answered as they say: ${command} ${request.slice(0, 60)}`, async () => {
      assert.deepEqual(Object.keys(JSON.parse(request)), [command]);
      const { status, text } = await send({ path, body: request });
      const [beginning = '', ...rest] = reply.split('…');
      const shown = text.replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"<id>"');
      assert.equal(status, 200);
      assert.ok(shown.startsWith(beginning), shown);
      if (rest.length === 0) assert.equal(shown, reply);
      for (const part of rest) assert.ok(shown.includes(part), `${part} is not in ${shown}`);
    });
  }
});
