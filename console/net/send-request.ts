// Sends requests to the operations port, which serves this page, and reads its replies.
import { signal } from '@preact/signals';
import {
  isList,
  isObject,
  type Json,
  memberAt,
  parseJson,
  plainText,
  writeJson,
} from '../json/exact-json.js';
import { needsSignIn, signInCount, token } from './session.js';

/** Why a request has no result. */
export class RequestFailure extends Error {
  /** The HTTP status; 0 when there was no reply. */
  readonly status: number;
  /** The kind of refusal: the `type` of the reply, `Unreachable`, or `Timeout`; empty for one of the console. */
  readonly kind: string;
  /** One line for each problem of the request. */
  readonly details: readonly string[];

  constructor(status: number, kind: string, message: string, details: readonly string[] = []) {
    super(message);
    this.status = status;
    this.kind = kind;
    this.details = details;
  }
}

/** The kind of a failure without a reply. */
export const unreachable = 'Unreachable';

/** What to send. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: Json;
  /** This JSON is sent as it is, in place of `body`. */
  readonly bodyText?: string;
  readonly signal?: AbortSignal | undefined;
  /** How long the reply may take, where a minute is not enough. */
  readonly timeoutMs?: number;
}

/** The number of requests under way. */
export const pendingCount = signal(0);

/** Whether the newest request found no server. */
export const isUnreachable = signal(false);

const usualTimeoutMs = 60_000;

/**
 * Sends a request and returns the JSON of its reply. A missing or expired session also shows the sign-in form, over
 * what is shown. @throws RequestFailure, or the reason of `signal` when it is aborted
 */
export async function sendRequest(path: string, options: RequestOptions = {}): Promise<Json> {
  if (!staysBelow(path)) throw new RequestFailure(0, 'BadPath', `No request can be sent to /${path}.`);
  changePending(1);
  const signIns = signInCount.peek();
  try {
    const { status, text } = await reach(path, options);
    return readReply(status, text, signIns === signInCount.peek());
  } finally {
    changePending(-1);
  }
}

/** Whether the browser sends a path as it is: a part `..` would lead elsewhere. */
function staysBelow(path: string): boolean {
  const [names = ''] = path.split('?');
  return !names.split(/[/\\]/).some((name) => /^(\.|%2e){1,2}$/i.test(name));
}

/** Does not subscribe to the signal: an effect that sends a request must not run again because of it. */
function changePending(by: number): void {
  pendingCount.value = pendingCount.peek() + by;
}

interface TextReply {
  readonly status: number;
  readonly text: string;
}

/** Sends a request and reads its whole reply: the connection can also be lost, or the signal aborted, within it. */
async function reach(path: string, options: RequestOptions): Promise<TextReply> {
  const { method = 'GET', body, bodyText, signal, timeoutMs = usualTimeoutMs } = options;
  const sent = bodyText ?? (body === undefined ? undefined : writeJson(body));
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (sent !== undefined) headers['content-type'] = 'application/json';
  if (token.peek() !== '') headers['token'] = token.peek();
  try {
    const response = await fetch(path, {
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      cache: 'no-store',
    });
    const text = await response.text();
    isUnreachable.value = false;
    return { status: response.status, text };
  } catch {
    signal?.throwIfAborted();
    if (timeout.aborted)
      throw new RequestFailure(0, 'Timeout', `The server did not answer within ${timeoutMs / 1000} seconds.`);
    isUnreachable.value = true;
    throw new RequestFailure(
      0,
      unreachable,
      'The server cannot be reached. Check that it runs, then try again.',
    );
  }
}

/** The error code of users who may not do something. */
const missingPermission = 'UNAUTHORIZED_ACCESS';

/** `isOfThisSession`: nobody has signed in since the request was sent; otherwise what is shown is loaded again. */
function readReply(status: number, text: string, isOfThisSession: boolean): Json {
  const json = parsed(text);
  if (status >= 200 && status < 300 && json !== undefined) return json;
  const { kind, message, details } = refusalIn(json) ?? {
    kind: plainText(memberAt(json, 'type')) || `HTTP ${status}`,
    message: plainText(memberAt(json, 'message')) || `The server answered with status ${status}.`,
    details: detailsOf(json),
  };
  // The Data API answers 401 to users who may not do something, too. Another login is not asked for: they know why.
  if (kind === missingPermission) throw new RequestFailure(403, kind, message, details);
  if (status === 401 && isOfThisSession)
    needsSignIn.value = /header "?Token/.test([message, ...details].join(' ')) ? 'token' : 'login';
  throw new RequestFailure(status, kind, message, details);
}

/** The first error of a reply in the form of the data service; undefined for replies in the other form. */
function refusalIn(json: Json | undefined) {
  const errors = memberAt(json, 'errors');
  const [first] = isList(errors) ? errors : [];
  if (first === undefined) return undefined;
  const [message = '', ...details] = plainText(memberAt(first, 'message')).split('\n');
  return { kind: plainText(memberAt(first, 'errorCode')), message, details };
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text === '' ? 'null' : text);
  } catch {
    return undefined; // not a reply of the server: of a proxy in front of it
  }
}

function detailsOf(json: Json | undefined): readonly string[] {
  const details = memberAt(json, 'details');
  if (!isList(details)) return [];
  return details.filter(isObject).map((detail) => {
    const path = plainText(detail['path']);
    return `${path === '' ? '' : `${path}: `}${plainText(detail['message'])}`;
  });
}
