// A server bears everything that clients can do to it at the same time, for two seconds. Longer: the long file.
import { describeOverload } from './describe-overload.js';

describeOverload({
  seconds: 2,
  watchSeconds: 1,
  settleSeconds: 2,
  stallSeconds: 1,
  requestTimeoutSeconds: 1,
});
