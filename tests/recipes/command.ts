// The recipe for a command.
import assert from 'node:assert/strict';
import type { FollowedRecipe } from './follow-recipes.js';
import { sendCommands } from './send-commands.js';

const forgetIndexes = `// forgetIndexes: a command that does nothing, for a test.
import { keyspaceCommand } from './command.js';
import { okReply } from './reply.js';
import { object } from './shape.js';

export const forgetIndexes = keyspaceCommand({
  name: 'forgetIndexes',
  help: 'Forgets nothing.',
  kind: 'write',
  removes: true,
  shape: object({}),
  plan: () => null,
  execute: async () => undefined,
  respond: () => okReply,
});
`;

/** Adds a command that says that it removes something. */
export const commandRecipe: FollowedRecipe = {
  title: 'A command',
  files: { 'src/data-service/commands/forget-indexes.ts': forgetIndexes },
  changes: [
    {
      path: 'src/data-service/commands/registry.ts',
      from: "import { insertMany } from './insert-many.js';",
      to: "import { forgetIndexes } from './forget-indexes.js';\nimport { insertMany } from './insert-many.js';",
    },
    {
      path: 'src/data-service/commands/registry.ts',
      from: '  listTypes,\n',
      to: '  listTypes,\n  forgetIndexes,\n',
    },
    {
      path: 'tools/command-examples.ts',
      from: "  {\n    command: 'findEmbeddingProviders',",
      to: `  {
    command: 'forgetIndexes',
    ...keyspace,
    request: '{"forgetIndexes":{}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'findEmbeddingProviders',`,
    },
  ],
  async find({ server, load, read }) {
    assert.deepEqual(await sendCommands(server, [['', '{"forgetIndexes":{}}']]), ['{"status":{"ok":1}}']);
    assert.match(read('docs/commands.md'), /\n## forgetIndexes\n/);
    // The console asks before it sends the command.
    const { removingCommands } = await load<typeof import('../../src/descriptions/removing-commands.js')>(
      'console-modules/src/descriptions/removing-commands.js',
    );
    assert.ok(removingCommands.includes('forgetIndexes'));
  },
};
