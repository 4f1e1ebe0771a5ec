// One request to a provider over HTTP: its secrets, its reply, and what kind of failure there is.
import { retryAfterMs } from '../../foundation/http/retry-after.js';
import { type OutgoingReply, type OutgoingRequest, SendFailure } from '../../foundation/http/send-request.js';
import { withoutSecrets } from '../../foundation/secrets/without-secrets.js';
import type { Credential, ProviderEffects, ProviderFacts } from './provider.js';
import { ProviderFailure } from './provider-failure.js';
import { jsonText, problemTextOf, secretsOf } from './provider-reply.js';

/** The part of a request that depends on the provider. */
export type ProviderRequest = Pick<OutgoingRequest, 'method' | 'url' | 'headers'> & { readonly body: string };

/** What every request to a provider has. */
export interface ProviderCall {
  readonly entry: Pick<ProviderFacts, 'secrets' | 'authentication'>;
  /** Undefined if none is needed or known. */
  readonly credential: Credential | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** @throws ProviderFailure if a secret that the provider needs is missing */
export function requireSecrets({ entry, credential }: Pick<ProviderCall, 'entry' | 'credential'>): void {
  if (entry.authentication.none && credential === undefined) return;
  const missing = entry.secrets.filter(({ member }) => (credential?.[member] ?? '') === '');
  if (missing.length === 0) return;
  const headers = entry.secrets.map(({ header }) => header).join('" and "');
  throw new ProviderFailure('keysMissing', `it needs a key in the header "${headers}" or in the key store`);
}

/** The first secret of a call; '' without one. */
export function keyOf({ entry, credential }: Pick<ProviderCall, 'entry' | 'credential'>): string {
  return credential?.[entry.secrets[0]?.member ?? ''] ?? '';
}

/** A request with a body of JSON. Members and headers that are undefined are omitted. */
export function jsonRequest(
  url: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: object,
): ProviderRequest {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const all = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...Object.fromEntries(given),
  };
  return { method: 'POST', url, headers: all, body: JSON.stringify(body) };
}

/** The body of a reply with the status 200. @throws ProviderFailure for every other one, and for none */
export async function askProvider(
  request: ProviderRequest,
  call: ProviderCall,
  maxBodyBytes: number,
  { send, clock }: ProviderEffects,
): Promise<Buffer> {
  const reply = await exchange(request, call, maxBodyBytes, send);
  if (reply.status !== 200) throw refusalOf(reply, call.credential, clock.nowMs());
  return reply.body;
}

async function exchange(
  request: ProviderRequest,
  { timeoutMs, signal, credential }: ProviderCall,
  maxBodyBytes: number,
  send: ProviderEffects['send'],
): Promise<OutgoingReply> {
  try {
    return await send({ ...request, timeoutMs, maxBodyBytes, signal });
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error;
    const message = withoutSecrets(error.message, secretsOf(credential));
    throw new ProviderFailure(problemOf(error.problem), message, { cause: error });
  }
}

function problemOf(problem: SendFailure['problem']): ProviderFailure['problem'] {
  switch (problem) {
    case 'timeout':
      return 'timeout';
    case 'unknownHost':
      return 'badHostName';
    case 'tooLarge':
      return 'unexpectedResponse';
    case 'unreachable':
    case 'denied':
    case 'aborted':
      return 'unreachable';
  }
}

function refusalOf(reply: OutgoingReply, credential: Credential | undefined, nowMs: number): ProviderFailure {
  const { status } = reply;
  const text = problemTextOf(reply.body.toString(), credential);
  const message = `HTTP ${status}: ${jsonText(text)}`;
  const wait = { retryAfterMs: retryAfterMs(reply.header('retry-after'), nowMs) };
  if (status === 429) return new ProviderFailure('rateLimited', message, wait);
  if (status === 408 || status === 504) return new ProviderFailure('timeout', message, wait);
  if (status >= 500) return new ProviderFailure('serverError', message, wait);
  if (status >= 400) return new ProviderFailure('clientError', message);
  const hint = status >= 300 ? ' (redirects are not followed)' : '';
  return new ProviderFailure('unexpectedResponse', message + hint);
}

/** A reply as JSON; for another text a failure of the kind `problem`. @throws ProviderFailure */
export function parseReply(
  body: Buffer,
  credential: Credential | undefined,
  problem: ProviderFailure['problem'] = 'unexpectedResponse',
): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const beginning = jsonText(problemTextOf(text, credential));
    throw new ProviderFailure(problem, `the reply is not JSON; it begins with ${beginning}`, { cause });
  }
}
