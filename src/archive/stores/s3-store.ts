// An archive in an object store that has the interface of S3, at any address.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { type OutgoingReply, SendFailure, type SendRequest } from '../../foundation/http/send-request.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { shortened } from '../../foundation/text/shorten-text.js';
import { type ArchiveStore, type ListRange, mostObjectBytes, StoreFailure } from './archive-store.js';
import { type FoundNames, readNames, textOf } from './s3-replies.js';

/** Where an archive is in an object store, and with which keys. */
export interface S3Place {
  /** Such as `https://s3.example.org`, without a slash at its end; undefined for Amazon's of the region. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Without a slash at its end; empty for the whole bucket. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** What the store uses of its surroundings. */
export interface S3Parts {
  readonly send: SendRequest;
  readonly clock: Clock;
  /** How long it rests before each repetition, in ms; their number is that of the repetitions. */
  readonly restsMs?: readonly number[];
  /** The time limit of one request. */
  readonly timeoutMs?: number;
}

type Method = 'GET' | 'PUT' | 'DELETE';

interface S3Request {
  readonly method: Method;
  /** What fails, for messages: `x cannot be written`. */
  readonly work: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** An answer, and whether an earlier attempt may have done the same without an answer. */
interface S3Reply {
  readonly reply: OutgoingReply;
  readonly isUncertain: boolean;
}

const usualRestsMs: readonly number[] = [100, 400, 1_600];
const usualTimeoutMs = 20_000;
/** Answers that another attempt can change: too many requests, a conflict of two writes, problems of the server. */
const repeated: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504]);
/** The largest list and the largest object that are read. */
const mostReplyBytes = mostObjectBytes + 64 * 1024;

/** The store of one archive. */
export class S3Store implements ArchiveStore {
  readonly title: string;
  readonly hangs = false;
  readonly #place: S3Place;
  readonly #parts: S3Parts;
  /** How far the clock of the store is ahead of that of this machine, once it has refused a request for that. */
  #aheadMs = 0;

  constructor(place: S3Place, parts: S3Parts) {
    this.title = `s3://${place.bucket}${place.prefix === '' ? '' : `/${place.prefix}`}`;
    this.#place = place;
    this.#parts = parts;
  }

  async list(prefix: string, { after, limit }: ListRange, signal?: AbortSignal): Promise<readonly string[]> {
    const names: string[] = [];
    const start = after === undefined ? {} : { 'start-after': this.#keyOf(after) };
    let next: string | undefined;
    // A store may give fewer names than it was asked for, even none, and say that the list continues.
    do {
      const place = next === undefined ? start : { 'continuation-token': next };
      const query = { 'max-keys': String(limit - names.length), ...place };
      const found = await this.#listOnce(prefix, query, signal);
      names.push(...found.names.map((key) => this.#nameOf(key)));
      next = found.next;
    } while (next !== undefined && names.length < limit);
    return names;
  }

  async folders(prefix: string, signal?: AbortSignal): Promise<readonly string[]> {
    const folders: string[] = [];
    let next: string | undefined;
    do {
      const query = {
        delimiter: '/',
        ...(next === undefined ? {} : { 'continuation-token': next }),
      };
      const found = await this.#listOnce(prefix, query, signal);
      folders.push(...found.folders.map((key) => this.#nameOf(key)));
      next = found.next;
    } while (next !== undefined);
    return folders;
  }

  async #listOnce(
    prefix: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<FoundNames> {
    const whole = { 'list-type': '2', 'encoding-type': 'url', prefix: this.#keyOf(prefix), ...query };
    const { reply } = await this.#send(
      { method: 'GET', work: 'its objects cannot be listed', key: '', query: whole },
      signal,
    );
    if (reply.status !== 200) throw this.#refusal('its objects cannot be listed', reply);
    const found = readNames(reply.body.toString());
    if (found === undefined) throw this.#failure('its objects cannot be listed', 'the answer is not a list');
    return found;
  }

  async read(name: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    const work = `${name} cannot be read`;
    const { reply } = await this.#send({ method: 'GET', work, key: this.#keyOf(name) }, signal);
    if (reply.status === 404 && textOf(reply.body.toString(), 'Code') !== 'NoSuchBucket') return undefined;
    if (reply.status !== 200) throw this.#refusal(work, reply);
    return reply.body;
  }

  async write(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<'written' | 'refused'> {
    const work = `${name} cannot be written`;
    const headers = { 'if-none-match': '*' };
    const { reply, isUncertain } = await this.#send(
      { method: 'PUT', work, key: this.#keyOf(name), headers, body: bytes },
      signal,
    );
    if (reply.status === 200) return 'written';
    if (reply.status !== 412) throw this.#refusal(work, reply);
    if (!isUncertain) return 'refused';
    // An attempt without an answer may have been this very write, which now refuses its own repetition.
    const found = await this.read(name, signal);
    return found?.equals(bytes) === true ? 'written' : 'refused';
  }

  async remove(name: string, signal?: AbortSignal): Promise<void> {
    const work = `${name} cannot be removed`;
    const { reply } = await this.#send({ method: 'DELETE', work, key: this.#keyOf(name) }, signal);
    if (reply.status !== 204 && reply.status !== 200 && reply.status !== 404)
      throw this.#refusal(work, reply);
  }

  close(): void {
    // The sender closes connections that are not used.
  }

  /** Sends a request, and repeats it a few times while that can help. */
  async #send(request: S3Request, signal: AbortSignal | undefined): Promise<S3Reply> {
    const restsMs = this.#parts.restsMs ?? usualRestsMs;
    let isUncertain = false;
    for (let attempt = 0; ; attempt += 1) {
      const restMs = restsMs[attempt];
      try {
        const reply = await this.#sendOnce(request, signal);
        const isLate = this.#correctClock(reply);
        if (restMs === undefined || !(isLate || repeated.has(reply.status))) return { reply, isUncertain };
        if (reply.status >= 500) isUncertain = true;
      } catch (error) {
        if (!(error instanceof SendFailure)) throw error;
        if (restMs === undefined || error.problem === 'aborted' || error.problem === 'tooLarge')
          throw this.#failure(request.work, error.message, error);
        isUncertain = true;
      }
      await this.#rest(restMs, request, signal);
    }
  }

  async #rest(ms: number, { work }: S3Request, signal: AbortSignal | undefined): Promise<void> {
    try {
      await sleep(ms, undefined, { signal });
    } catch (error) {
      throw this.#failure(work, 'the request was cancelled', error);
    }
  }

  async #sendOnce(request: S3Request, signal: AbortSignal | undefined): Promise<OutgoingReply> {
    const { method, key, query = {}, headers = {}, body } = request;
    const url = new URL(`${this.#address}${key.split('/').map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // The signature covers the sum of the body, so the store refuses one that changed on the way.
    const sum = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signer = new AwsV4Signer({
      ...{ url: url.href, method, service: 's3', region: this.#place.region },
      headers: { ...headers, 'x-amz-content-sha256': sum },
      accessKeyId: this.#place.accessKey,
      secretAccessKey: this.#place.secretKey,
      datetime: new Date(this.#parts.clock.nowMs() + this.#aheadMs)
        .toISOString()
        .replaceAll(/[:-]|\.\d{3}/g, ''),
    });
    const signed = await signer.sign();
    return this.#parts.send({
      method,
      url: signed.url.href,
      headers: { 'accept-encoding': 'identity', ...Object.fromEntries(signed.headers) },
      ...(body === undefined ? {} : { body }),
      timeoutMs: this.#parts.timeoutMs ?? usualTimeoutMs,
      maxBodyBytes: mostReplyBytes,
      signal,
    });
  }

  /** Whether the store refused a request for its time, and another one can be signed with the right one. */
  #correctClock(reply: OutgoingReply): boolean {
    if (reply.status !== 403 || textOf(reply.body.toString(), 'Code') !== 'RequestTimeTooSkewed')
      return false;
    const dateMs = Date.parse(reply.header('date') ?? '');
    if (Number.isNaN(dateMs)) return false;
    this.#aheadMs = dateMs - this.#parts.clock.nowMs();
    return true;
  }

  get #address(): string {
    const { endpoint, bucket, region } = this.#place;
    return endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com/`
      : `${endpoint}/${encodeURIComponent(bucket)}/`;
  }

  #keyOf(name: string): string {
    return this.#place.prefix === '' ? name : `${this.#place.prefix}/${name}`;
  }

  #nameOf(key: string): string {
    return this.#place.prefix === '' ? key : key.slice(this.#place.prefix.length + 1);
  }

  #refusal(work: string, reply: OutgoingReply): StoreFailure {
    const body = reply.body.toString();
    const [code, message] = [textOf(body, 'Code'), textOf(body, 'Message')];
    const reason = [code, message].filter((text) => text !== undefined).join(': ');
    const isTemporary = repeated.has(reply.status);
    const problem = `it answers ${reply.status}${reason === '' ? '' : ` (${shortened(reason, 500)})`}`;
    return new StoreFailure(`the archive ${this.title}: ${work}: ${problem}`, isTemporary);
  }

  #failure(work: string, problem: string, cause?: unknown): StoreFailure {
    return new StoreFailure(`the archive ${this.title}: ${work}: ${problem}`, true, { cause });
  }
}
