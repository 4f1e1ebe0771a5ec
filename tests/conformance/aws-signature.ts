// Computes the AWS signature (version 4) of a request as its receiver does, from the published description.
import { createHash, createHmac } from 'node:crypto';
import type { ReceivedRequest } from './received-request.js';

/** Whose signature it is to be. */
export interface AwsIdentity {
  readonly accessId: string;
  readonly secretKey: string;
  readonly region: string;
  readonly service: string;
}

/** The `authorization` header that a request must have; which headers are signed is read off the one it has. */
export function awsSignature(request: ReceivedRequest, identity: AwsIdentity): string {
  const { accessId, secretKey, region, service } = identity;
  const time = headerOf(request, 'x-amz-date');
  const signed = /SignedHeaders=([^,]+)/.exec(headerOf(request, 'authorization'))?.[1] ?? '';
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const [path = '', query = ''] = request.path.split('?');
  const canonical = [
    'POST',
    path.split('/').map(encodeURIComponent).join('/'),
    query,
    ...signed.split(';').map((name) => `${name}:${headerOf(request, name).trim()}`),
    '',
    signed,
    sha256(request.text),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  let key: Buffer = Buffer.from(`AWS4${secretKey}`);
  for (const part of scope.split('/')) key = hmac(key, part);
  const signature = hmac(key, toSign).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${accessId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}

function headerOf({ headers }: ReceivedRequest, name: string): string {
  return String(headers[name] ?? '');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
