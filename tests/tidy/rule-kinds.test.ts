// A kind of alert rule or of channel answers everything about itself: no other file asks for its name.
import { describe, it } from 'node:test';
import { ruleKinds } from '../../src/ops-service/alerts/rules/registry.js';
import { channelKinds } from '../../src/ops-service/notifications/channels/registry.js';
import { expectNone } from './expect-none.js';
import { readSources } from './read-sources.js';

const rules = [...ruleKinds.keys()];
const channels = channelKinds.map(({ type }) => type);

describe('names of kinds', () => {
  it('of rules are compared nowhere in the operations service', () => {
    expectNone(comparing('src/ops-service/', rules));
  });

  it('of rules and channels are nowhere in the console', () => {
    expectNone(comparing('console/', [...rules, ...channels]));
  });
});

/** The files in a folder that compare one of the names, or have a list of names with it. */
function comparing(folder: string, kinds: readonly string[]): readonly string[] {
  const names = kinds.join('|');
  const comparison = new RegExp(`(?:[!=]==?|\\bcase)\\s*'(?:${names})'|\\[[^\\]]*'(?:${names})'[^\\]]*\\]`);
  return readSources()
    .filter(({ path, text }) => path.startsWith(folder) && !path.includes('.test.') && comparison.test(text))
    .map(({ path }) => path);
}
