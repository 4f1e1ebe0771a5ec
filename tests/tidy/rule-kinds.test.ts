// A kind of alert rule answers everything about itself: no other file asks for its name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ruleKinds } from '../../src/ops-service/alerts/rules/registry.js';
import { expectNone } from './expect-none.js';
import { projectRoot } from './read-sources.js';

const root = join(projectRoot, 'src', 'ops-service');

describe('the operations service', () => {
  it('compares the name of no kind of rule', () => {
    const names = [...ruleKinds.keys()].join('|');
    const comparison = new RegExp(`(?:[!=]==?|\\bcase)\\s*'(?:${names})'|\\[[^\\]]*'(?:${names})'[^\\]]*\\]`);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?<!\.test)\.ts$/.test(name),
    );
    expectNone(files.filter((name) => comparison.test(readFileSync(join(root, name), 'utf8'))));
  });
});
