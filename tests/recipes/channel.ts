// The recipe for a notification channel.
import assert from 'node:assert/strict';
import type { DescribedKinds } from '../../src/descriptions/operations-kinds.js';
import { askOps } from '../acceptance/ops-client.js';
import type { FollowedRecipe } from './follow-recipes.js';

const kind = `// The channel that a test of recipes adds: its notices arrive nowhere.
import * as v from 'valibot';
import { closedObject } from '../../errors/closed-object.js';
import { labelled } from '../../errors/describe-field.js';
import { limitedText } from '../../errors/limited-text.js';
import { type ChannelKind, noEvents, routingEntries } from '../channel.js';

const schema = closedObject({
  type: v.literal('pigeon'),
  ...routingEntries,
  ...noEvents,
  loft: labelled(limitedText(20, 1), 'Loft', { help: 'where it lives' }),
  ring: v.optional(labelled(limitedText(20, 1), 'Ring', { isSecret: true })),
});

/** Sends every notice at once. */
export const pigeonKind: ChannelKind = {
  type: 'pigeon',
  schema,
  secretUrls: [],
  places: [],
  open: () => ({ deliver: async () => ({ kind: 'sent' }) }),
};
`;

/** Adds a channel with a secret, whose receivers take no events. */
export const channelRecipe: FollowedRecipe = {
  title: 'A notification channel',
  files: { 'src/ops-service/notifications/channels/pigeon.ts': kind },
  changes: [
    {
      path: 'src/ops-service/notifications/channels/registry.ts',
      from: "import { slackKind } from './slack.js';",
      to: "import { pigeonKind } from './pigeon.js';\nimport { slackKind } from './slack.js';",
    },
    {
      path: 'src/ops-service/notifications/channels/registry.ts',
      from: '  snmpKind,\n]',
      to: '  snmpKind,\n  pigeonKind,\n]',
    },
  ],
  async find({ server, read }) {
    const path = '/local/notification-channels';
    const body = { type: 'pigeon', loft: 'tower', ring: 'secret' };
    const one = `${path}/${await askOps(server, path, { body })}`;
    const { loft, ring } = (await askOps(server, one)) as Readonly<Record<string, unknown>>;
    assert.deepEqual([loft, ring], ['tower', undefined]);
    assert.deepEqual(await askOps(server, `${one}/test`, { method: 'POST' }), {
      outcome: 'sent',
      reason: '',
    });
    const { channels } = (await askOps(server, '/console/kinds')) as DescribedKinds;
    const fields = channels.find(({ name }) => name === 'pigeon')?.fields ?? [];
    assert.deepEqual(
      fields.map(({ name, kind, isSecret }) => [name, kind, isSecret]),
      [
        ['type', 'choice', undefined],
        ['name', 'text', undefined],
        ['loft', 'text', undefined],
        ['ring', 'text', true],
        ['levels', 'choices', undefined],
        ['rules', 'list', undefined],
      ],
    );
    assert.match(
      read('docs/operations.md'),
      /\| `pigeon` \| `loft` \(where it lives\), `ring`; no events \|/,
    );
  },
};
