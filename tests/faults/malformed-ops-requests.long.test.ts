// Malformed requests to the operations port are the sender's fault, whatever they hold. From a seed.
import { describe, it } from 'node:test';
import { checkMalformedOpsRequests } from './malformed-ops-requests.js';

describe('malformed requests to the operations port', () => {
  it('are refused without a failure of the server, 5000 times', (test) =>
    checkMalformedOpsRequests(5_000, test));
});
