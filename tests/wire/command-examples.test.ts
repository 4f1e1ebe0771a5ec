// The examples of docs/commands.md are what a server really says.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { commands } from '../../src/data-service/commands/registry.js';
import { commandExamples, examplesOf } from '../../tools/command-examples.js';
import { useWireServer, type WireServer } from './wire-server.js';

describe('the examples of the commands', () => {
  it('show every command', () => {
    const hidden = commands.filter((command) => examplesOf(command).length === 0);
    assert.deepEqual(
      hidden.map(({ target, name }) => `${target} ${name}`),
      [],
    );
  });

  describe('in the strict dialect', () => describeExamples('strict', useWireServer()));
  describe('in the extended dialect', () =>
    describeExamples('extended', useWireServer({ args: ['--dialect', 'extended'] })));
});

function describeExamples(dialect: Dialect, { send }: WireServer): void {
  for (const { command, target, path, request, reply, ...example } of commandExamples) {
    if ((example.dialect ?? dialect) !== dialect) continue;
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
}
