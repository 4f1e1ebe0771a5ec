// 20,000 commands of the whole grammar do no harm. More of them: run-grammar-fuzzer.
import { describe, it } from 'node:test';
import { checkGrammar } from './check-grammar.js';

describe('the grammar of commands', () => {
  it('gives no failure of the server and no change of other rows, 20,000 times', (test) =>
    checkGrammar(20_000, test));

  it('does the same in the extended dialect, 20,000 times', (test) => checkGrammar(20_000, test, 'extended'));
});
