// Nodes that are passed by: their place among the others, and the question whether they work.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NodeState, PassedNodes } from './passed-nodes.js';

const [first, second, third] = [{ name: 'first' }, { name: 'second' }, { name: 'third' }];

/** Nodes that are asked whether they work; each question waits for its answer. */
function askedNodes() {
  const questions: { readonly node: object; readonly answer: (state: NodeState) => void }[] = [];
  const passed = new PassedNodes<object>(
    (node) => new Promise((resolve) => questions.push({ node, answer: resolve })),
  );
  const order = () => [...{ [Symbol.iterator]: () => passed.arranged([first, second, third].values()) }];
  /** Answers the next question, when it is there, and waits for what follows from the answer. */
  const answer = async (state: NodeState) => {
    while (questions.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    questions.shift()?.answer(state);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { passed, questions, order, answer };
}

describe('passed nodes', () => {
  it('are asked behind the others until they work', async () => {
    const { passed, order, answer } = askedNodes();
    assert.deepEqual(order(), [first, second, third]);
    passed.passBy(first);
    assert.deepEqual(order(), [second, third, first]);
    await answer('refuses');
    await answer('silent');
    assert.deepEqual(order(), [second, third, first]);
    await answer('works');
    assert.deepEqual(order(), [first, second, third]);
  });

  it('are left to the driver without connections', async () => {
    const { passed, order, answer } = askedNodes();
    passed.passBy(second);
    await answer('gone');
    assert.deepEqual(order(), [first, second, third]);
  });

  it('are asked one question at a time', () => {
    const { passed, questions } = askedNodes();
    passed.passBy(first);
    passed.passBy(first);
    passed.passBy(third);
    assert.deepEqual(
      questions.map(({ node }) => node),
      [first, third],
    );
  });

  it('report their silence to those who wait for them', async () => {
    const { passed, answer } = askedNodes();
    let silent = 0;
    passed.recordOf(first).onSilence.add(() => {
      silent += 1;
    });
    passed.passBy(first);
    await answer('refuses');
    assert.equal(silent, 0);
    await answer('silent');
    assert.equal(silent, 1);
    await answer('works');
  });

  it('are asked no more when the session ends', async () => {
    const { passed, questions, answer } = askedNodes();
    passed.passBy(first);
    passed.close();
    await answer('silent');
    passed.passBy(second);
    assert.equal(questions.length, 0);
  });
});
