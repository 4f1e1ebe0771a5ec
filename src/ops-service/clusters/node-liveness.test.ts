// Decides whether a node is up: our probes and the reports of other nodes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideNodeState, type NodeProbes } from './node-liveness.js';

const alone: NodeProbes = { failedInARow: 0, count: 5, otherCount: 0, seenAliveBy: 0, seenDeadBy: 0 };

describe('decideNodeState', () => {
  const cases: readonly (readonly [string, Partial<NodeProbes>, 'up' | 'down', 'up' | 'down'])[] = [
    ['an answer makes it up', {}, 'down', 'up'],
    ['one failure changes nothing', { failedInARow: 1 }, 'up', 'up'],
    ['two failures change nothing', { failedInARow: 2 }, 'up', 'up'],
    ['a third failure makes it down', { failedInARow: 3 }, 'up', 'down'],
    [
      'a majority that sees it alive overrules our probe',
      { failedInARow: 9, otherCount: 3, seenAliveBy: 2 },
      'up',
      'up',
    ],
    [
      'half of the others is not a majority',
      { failedInARow: 3, otherCount: 4, seenAliveBy: 2, seenDeadBy: 2 },
      'up',
      'down',
    ],
    [
      'a majority that sees it dead needs one failure',
      { failedInARow: 1, otherCount: 2, seenDeadBy: 2 },
      'up',
      'down',
    ],
    ['no majority overrules an answer', { otherCount: 5, seenDeadBy: 5 }, 'up', 'up'],
    [
      'one other alone does not make it down early',
      { failedInARow: 1, otherCount: 1, seenDeadBy: 1 },
      'up',
      'up',
    ],
  ];
  for (const [name, probes, before, after] of cases) {
    it(name, () => assert.equal(decideNodeState(before, { ...alone, ...probes }, false), after));
  }

  it('waits for three probes where the node was known before the start', () => {
    assert.equal(decideNodeState('down', { ...alone, count: 2 }, true), 'down');
    assert.equal(decideNodeState('down', { ...alone, count: 3 }, true), 'up');
    assert.equal(decideNodeState('unknown', { ...alone, count: 1 }, true), 'up');
  });
});
