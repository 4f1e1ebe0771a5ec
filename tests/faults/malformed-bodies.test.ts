// Malformed bodies are the sender's fault, whatever they hold. 2000 of them: the long file.
import { describe, it } from 'node:test';
import { checkMalformedBodies } from './check-malformed-bodies.js';

describe('malformed bodies', () => {
  it('are refused without a failure of the server, 100 times', (test) => checkMalformedBodies(100, test));

  it('are refused in the extended dialect, too, 100 times', (test) =>
    checkMalformedBodies(100, test, 'extended'));
});
