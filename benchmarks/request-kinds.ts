// Every kind of request that a load can be made of.
import { documentRequestKinds } from './document-requests.js';
import { documentRivalKinds } from './document-rival-requests.js';
import { documentRowRequestKinds } from './document-row-requests.js';
import { memberRequestKinds } from './member-requests.js';
import { queryRequestKinds } from './query-requests.js';
import { rowRequestKinds } from './requests.js';
import { textRequestKinds } from './text/text-requests.js';
import { wordRequestKinds } from './text/word-requests.js';
import { vectorRequestKinds } from './vector-requests.js';

/** By name. */
export const requestKinds = {
  ...rowRequestKinds,
  ...queryRequestKinds,
  ...memberRequestKinds,
  ...documentRequestKinds,
  ...documentRivalKinds,
  ...documentRowRequestKinds,
  ...textRequestKinds,
  ...wordRequestKinds,
  ...vectorRequestKinds,
};

/** A name in `requestKinds`. */
export type RequestKind = keyof typeof requestKinds;
