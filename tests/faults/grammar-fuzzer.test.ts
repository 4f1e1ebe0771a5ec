// 120 commands of the whole grammar do no harm. 20,000 of them: the long file; more: run-grammar-fuzzer.
import { describe, it } from 'node:test';
import { checkGrammar } from './check-grammar.js';

describe('the grammar of commands', () => {
  it('gives no failure of the server and no change of other rows, 120 times', (test) =>
    checkGrammar(120, test));

  it('does the same in the extended dialect, 120 times', (test) => checkGrammar(120, test, 'extended'));
});
