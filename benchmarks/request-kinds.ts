// Every kind of request that a load can be made of.
import { queryRequestKinds } from './query-requests.js';
import { rowRequestKinds } from './requests.js';

/** By name. */
export const requestKinds = { ...rowRequestKinds, ...queryRequestKinds };

/** A name in `requestKinds`. */
export type RequestKind = keyof typeof requestKinds;
