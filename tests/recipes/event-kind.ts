// The recipe for a kind of event.
import assert from 'node:assert/strict';
import type { DescribedKinds } from '../../src/descriptions/operations-kinds.js';
import { askOps } from '../acceptance/ops-client.js';
import type { FollowedRecipe } from './follow-recipes.js';

/** Adds a kind that nothing reports. */
export const eventKindRecipe: FollowedRecipe = {
  title: 'A kind of event',
  files: {},
  changes: [
    {
      path: 'src/ops-service/events/event.ts',
      from: "  login: { code: 1060, label: 'login' },",
      to: "  doorOpened: { code: 1059, label: 'door opened' },\n  login: { code: 1060, label: 'login' },",
    },
  ],
  async find({ server, read }) {
    const { events } = (await askOps(server, '/console/kinds')) as DescribedKinds;
    assert.ok(events.some(({ code, label }) => code === 1059 && label === 'door opened'));
    assert.match(read('docs/operations.md'), /\| 1059 \| door opened \|/);
  },
};
