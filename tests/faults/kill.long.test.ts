// kill -9 in the middle of writes loses nothing that was acknowledged. More rounds: run-kill-rounds.
import { describe, it } from 'node:test';
import { checkKilledFirstStarts, checkKillRounds } from './check-kills.js';

describe('kill -9', () => {
  it('loses no acknowledged row or table and leaves no half ones, twenty times', (test) =>
    checkKillRounds(20, test));

  it('does no harm at any moment of the first start', (test) => checkKilledFirstStarts(4, test));
});
