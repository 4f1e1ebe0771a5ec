// Delivery over HTTP: which replies mean sent, retry or failed, and which part of a reply may be shown.
import { retryAfterMs } from '../../foundation/http/retry-after.js';
import { type OutgoingReply, SendFailure } from '../../foundation/http/send-request.js';
import { withoutSecrets } from '../../foundation/secrets/without-secrets.js';
import type { ChannelSurroundings, Delivery } from './channel.js';
import { oneLine } from './notice.js';

/** A POST with a body that is ready to be sent. */
export interface HttpDelivery {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Texts that must not be shown although a receiver may repeat them, in addition to path and query of the URL. */
  readonly secrets?: readonly string[];
}

/** Only the first line of a reply is ever shown. */
const maxReplyBytes = 4096;
/** The longest delay that a receiver can request. */
const maxRetryAfterMs = 3_600_000;

/** Posts. 2xx means sent; 408, 429, 5xx and missing replies are tried again; any other status means failed. */
export async function deliverOverHttp(
  surroundings: ChannelSurroundings,
  delivery: HttpDelivery,
  signal: AbortSignal,
): Promise<Delivery> {
  const { url, headers, body } = delivery;
  const secrets = [...secretsOfUrl(url), ...(delivery.secrets ?? [])];
  try {
    const reply = await surroundings.sendRequest({
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs: surroundings.timeoutMs,
      maxBodyBytes: maxReplyBytes,
      takesCutBody: true,
      signal,
    });
    return judgeReply(reply, secrets, surroundings.nowMs());
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error;
    const reason = oneLine(withoutSecrets(error.message, secrets), 200);
    if (error.problem === 'denied') return { kind: 'failed', reason };
    return { kind: 'retry', reason, mayHaveArrived: error.hasLeft };
  }
}

function judgeReply(reply: OutgoingReply, secrets: readonly string[], nowMs: number): Delivery {
  const { status } = reply;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status >= 300 && status < 400) {
    return { kind: 'failed', reason: `HTTP ${status}: redirects are not followed` };
  }
  const line = firstLine(reply.body.toString('utf8'), secrets);
  const reason = line === '' ? `HTTP ${status}` : `HTTP ${status}: ${line}`;
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'failed', reason };
  const askedForMs = retryAfterMs(reply.header('retry-after'), nowMs);
  const wait = askedForMs === undefined ? {} : { afterMs: Math.min(askedForMs, maxRetryAfterMs) };
  return { kind: 'retry', reason, mayHaveArrived: false, ...wait };
}

/** The first non-empty line, shortened and without the secrets. */
export function firstLine(text: string, secrets: readonly string[]): string {
  const line = text.split(/[\r\n]+/).find((part) => part.trim() !== '') ?? '';
  return oneLine(withoutSecrets(line, secrets), 200);
}

/** Path and query of a URL, whole and in parts: services quote unknown paths. */
function secretsOfUrl(text: string): readonly string[] {
  if (!URL.canParse(text)) return [text];
  const { pathname, search, searchParams } = new URL(text);
  const whole = [pathname + search, pathname, search, search.slice(1)];
  const parts = [...pathname.split('/'), ...searchParams.values()];
  return [...whole, ...parts].flatMap((part) => [part, decoded(part)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}
