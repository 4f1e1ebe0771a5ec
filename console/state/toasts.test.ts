// Which short messages are shown together.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hideToast, showToast, toasts } from './toasts.js';

const texts = () => toasts.value.map(({ text }) => text);

describe('short messages', () => {
  it('replace earlier successes and the same message, and leave the last failures', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    showToast('Copied.');
    showToast('Copied.');
    assert.deepEqual(texts(), ['Copied.']);
    for (const text of ['first', 'second', 'second', 'third']) showToast(text, 'failed');
    assert.deepEqual(texts(), ['first', 'second', 'third']);
    showToast('Saved.');
    assert.deepEqual(texts(), ['second', 'third', 'Saved.']);
    context.mock.timers.tick(4000);
    assert.deepEqual(texts(), ['second', 'third']);
    hideToast(toasts.value[0]?.id ?? 0);
    context.mock.timers.tick(6000);
    assert.deepEqual(texts(), []);
  });
});
