// Each of these recipes is followed to the letter: the thing is where it is looked for, and nothing else was changed.
import { after, before, describe, it } from 'node:test';
import { expectNone } from '../tidy/expect-none.js';
import { channelRecipe } from './channel.js';
import { columnTypeRecipe } from './column-type.js';
import { commandRecipe } from './command.js';
import { eventKindRecipe } from './event-kind.js';
import { documentOperatorRecipe, tableOperatorRecipe } from './filter-operators.js';
import { type BuiltCopy, followRecipes, unnamedPaths } from './follow-recipes.js';
import { metricKeyRecipe } from './metric-key.js';
import { optionRecipe } from './option.js';
import { ruleKindRecipe } from './rule-kind.js';
import { screenRecipe } from './screen.js';

const recipes = [
  columnTypeRecipe,
  commandRecipe,
  tableOperatorRecipe,
  documentOperatorRecipe,
  channelRecipe,
  eventKindRecipe,
  metricKeyRecipe,
  ruleKindRecipe,
  optionRecipe,
  screenRecipe,
];

describe('a recipe of CONTRIBUTING.md', () => {
  let built: BuiltCopy;
  before(async () => {
    built = await followRecipes(recipes);
  });
  after(() => built.server.stop());

  for (const recipe of recipes) {
    it(`names all that a contributor changes: ${recipe.title}`, () => {
      expectNone(unnamedPaths(recipe));
    });

    it(`is enough: ${recipe.title}`, async () => {
      await recipe.find(built);
    });
  }
});
