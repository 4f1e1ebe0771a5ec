// The recipe for an option.
import assert from 'node:assert/strict';
import type { FollowedRecipe } from './follow-recipes.js';

/** Adds an option that nothing uses. */
export const optionRecipe: FollowedRecipe = {
  title: 'An option',
  files: {},
  changes: [
    {
      path: 'src/foundation/config/options.ts',
      from: '  acceptDataLoss: required({',
      to: `  greeting: required({
    name: 'greeting',
    kind: textKind('TEXT'),
    default: 'Hello',
    help: 'A text that nothing uses.',
  }),
  acceptDataLoss: required({`,
    },
  ],
  async find({ load, read }) {
    assert.match(read('docs/options.md'), /\n## greeting\n[^#]*`COLONNADE_GREETING`/);
    const { optionHelp } =
      await load<typeof import('../../src/cli/option-help.js')>('src/cli/option-help.js');
    assert.match(optionHelp(), / {2}--greeting TEXT\n/);
  },
};
