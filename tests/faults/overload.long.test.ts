// A server bears everything that clients can do to it at the same time. Ten minutes of it: npm run bench:overload.
import { describeOverload } from './describe-overload.js';

describeOverload({
  seconds: 8,
  watchSeconds: 1,
  settleSeconds: 4,
  stallSeconds: 5,
  requestTimeoutSeconds: 3,
});
