// The recipe for a metric key.
import assert from 'node:assert/strict';
import { askOps } from '../acceptance/ops-client.js';
import type { FollowedRecipe } from './follow-recipes.js';

/** Adds a key that no source provides. */
export const metricKeyRecipe: FollowedRecipe = {
  title: 'A metric key',
  files: {},
  changes: [
    {
      path: 'src/ops-service/metrics/metric-keys.ts',
      from: 'const systemRows: readonly Row[] = [',
      to: "const systemRows: readonly Row[] = [\n  { key: 'os-fan-speed', unit: '1/s' },",
    },
  ],
  async find({ server, read }) {
    const keys = (await askOps(server, '/metric-keys')) as readonly Readonly<Record<string, string>>[];
    const { label, group } = keys.find(({ key }) => key === 'os-fan-speed') ?? {};
    assert.deepEqual([label, group], ['os fan speed', 'Operating system']);
    assert.match(read('docs/metric-keys.md'), /\| `os-fan-speed` \| os fan speed \|/);
  },
};
