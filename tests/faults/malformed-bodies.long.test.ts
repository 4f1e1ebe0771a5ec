// Malformed bodies are the sender's fault, whatever they hold. More of them: run-malformed-bodies.
import { describe, it } from 'node:test';
import { checkMalformedBodies } from './check-malformed-bodies.js';

describe('malformed bodies', () => {
  it('are refused without a failure of the server, 2000 times', (test) => checkMalformedBodies(2000, test));

  it('are refused in the extended dialect, too, 2000 times', (test) =>
    checkMalformedBodies(2000, test, 'extended'));
});
