// The recipe for a kind of alert rule.
import assert from 'node:assert/strict';
import type { DescribedKinds } from '../../src/descriptions/operations-kinds.js';
import { askOps, createRule } from '../acceptance/ops-client.js';
import type { FollowedRecipe } from './follow-recipes.js';

const kind = `// The kind of rule that a test of recipes adds: it compares one number with the number of the rule.
import { labelled } from '../../errors/describe-field.js';
import { nodesOf, type Rule, type RuleKind } from '../rule.js';
import { finiteNumber } from '../shared-fields.js';
import { type Fact, factAboutNode } from './node-targets.js';

interface StarRule extends Rule {
  readonly brightness: number;
}

/** Fires if the rule wants less than 9. */
export const starLight: RuleKind<StarRule, Fact> = {
  ...factAboutNode,
  type: 'star-light',
  label: 'the light of a star',
  help: 'a star is brighter than \`brightness\`',
  condition: 'a star brighter than {brightness}',
  fields: { brightness: labelled(finiteNumber, 'Brightness', { group: 'boundary' }) },
  needs: ['brightness'],
  marksNodeDown: false,
  *observe(rule, cluster) {
    for (const { address, target } of nodesOf(rule, cluster))
      yield { key: address, target, observed: { atMs: cluster.atMs, value: 9, isTrue: 9 > rule.brightness } };
  },
  subjectOf: () => 'the star',
  conditionOf: ({ brightness }) => \`9 above \${brightness}\`,
};
`;

/** Adds a kind with a field that no other kind has. */
export const ruleKindRecipe: FollowedRecipe = {
  title: 'A kind of alert rule',
  files: { 'src/ops-service/alerts/rules/star-light.ts': kind },
  changes: [
    {
      path: 'src/ops-service/alerts/rules/registry.ts',
      from: "import { rollingAverage } from './rolling-avg.js';",
      to: "import { rollingAverage } from './rolling-avg.js';\nimport { starLight } from './star-light.js';",
    },
    {
      path: 'src/ops-service/alerts/rules/registry.ts',
      from: 'nodeDown, agentIssue]',
      to: 'nodeDown, agentIssue, starLight]',
    },
  ],
  async find({ server, read }) {
    const id = await createRule(server, { type: 'star-light', brightness: 3, duration: 0 });
    const rule = (await askOps(server, `/local/alert-rules/${id}`)) as { readonly brightness: number };
    assert.equal(rule.brightness, 3);
    const { rules } = (await askOps(server, '/console/kinds')) as DescribedKinds;
    const found = rules.find(({ name }) => name === 'star-light');
    assert.equal(found?.condition, 'a star brighter than {brightness}');
    const field = found?.fields.find(({ name }) => name === 'brightness');
    assert.deepEqual([field?.label, field?.kind, field?.isRequired], ['Brightness', 'number', true]);
    assert.match(read('docs/operations.md'), /\| `star-light` \| a star is brighter than `brightness` \|/);
    assert.match(JSON.stringify(await askOps(server, '/openapi.json')), /"Brightness"/);
  },
};
