// Checks that the table of metric keys promises of exporters what is read of them, and no more.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exporterRecipes } from '../../src/ops-service/clusters/cassandra/exporter-recipes.js';
import { metricKeys, prometheusSource } from '../../src/ops-service/metrics/metric-keys.js';

it('every key that comes from exporters has a recipe, and every recipe is for such a key', () => {
  const promised = metricKeys.filter(({ cassandra }) => cassandra === prometheusSource).map(({ key }) => key);
  assert.deepEqual([...exporterRecipes.keys()].sort(), [...promised].sort());
});

it('every recipe gives values for the scope of its key', () => {
  const scopes = new Map(metricKeys.map(({ key, scope }) => [key, scope]));
  for (const [key, recipes] of exporterRecipes) {
    const choices = recipes.flatMap((recipe) =>
      'now' in recipe ? recipe.now : [...recipe.came, ...(recipe.per ?? [])],
    );
    for (const { table, device } of choices) {
      assert.equal(
        table !== undefined ? 'table' : device !== undefined ? 'device' : 'node',
        scopes.get(key),
        key,
      );
    }
  }
});
