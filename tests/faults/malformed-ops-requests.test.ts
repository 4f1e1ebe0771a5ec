// Malformed requests to the operations port are the sender's fault, whatever they hold. 5,000 of them: the long file.
import { describe, it } from 'node:test';
import { checkMalformedOpsRequests } from './malformed-ops-requests.js';

describe('malformed requests to the operations port', () => {
  it('are refused without a failure of the server, 250 times', (test) =>
    checkMalformedOpsRequests(250, test));
});
