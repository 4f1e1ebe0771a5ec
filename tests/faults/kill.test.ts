// kill -9 in the middle of writes loses nothing that was acknowledged. Twenty rounds: the long file.
import { describe, it } from 'node:test';
import { checkKilledFirstStarts, checkKillRounds } from './check-kills.js';

describe('kill -9', () => {
  it('loses no acknowledged row or table and leaves no half ones, twice', (test) => checkKillRounds(2, test));

  it('does no harm at a moment of the first start', (test) => checkKilledFirstStarts(1, test));
});
