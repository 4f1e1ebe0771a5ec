// Amazon Bedrock: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
import { AwsV4Signer } from 'aws4fetch';
import type { ProviderRequest } from '../ask-provider.js';
import { askedDimension, fixedModel, makeEntry, optionsModel } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import type { TextBatch } from '../provider.js';
import { membersOf } from '../provider-reply.js';

export const bedrock = httpProvider({
  name: 'bedrock',
  help: 'The Titan models of Amazon Bedrock. It needs the two keys of an AWS account.',
  entry: makeEntry({
    displayName: 'Amazon Bedrock',
    url: 'https://bedrock-runtime.{region}.amazonaws.com/model/{model}/invoke',
    secrets: [
      { member: 'accessId', header: 'x-embedding-access-id', forwarded: 'Authorization' },
      { member: 'secretKey', header: 'x-embedding-secret-id', forwarded: 'Authorization' },
    ],
    parameters: [
      {
        name: 'region',
        type: 'string',
        isRequired: true,
        isHostLabel: true,
        help: 'The AWS region that hosts the model.',
        displayName: 'Region',
        hint: 'Add region',
      },
    ],
    models: [
      fixedModel('amazon.titan-embed-text-v1', 1536),
      optionsModel('amazon.titan-embed-text-v2:0', [256, 512, 1024], 1024),
    ],
    limits: { maxBatchSize: 1 },
  }),
  body: ({ texts, model, dimension }) => ({
    inputText: texts[0],
    dimensions: askedDimension(model, dimension),
  }),
  sign: signRequest,
  namesCodecProblems: true,
  vectors: (reply) => {
    const { embedding } = membersOf(reply);
    return Array.isArray(embedding) ? [embedding] : undefined;
  },
});

/** The headers with an AWS signature of version 4. */
async function signRequest(
  { url, method, headers, body }: ProviderRequest,
  { credential, parameters }: TextBatch,
  nowMs: number,
): Promise<Readonly<Record<string, string>>> {
  const signer = new AwsV4Signer({
    url,
    method,
    headers,
    body,
    accessKeyId: credential?.['accessId'] ?? '',
    secretAccessKey: credential?.['secretKey'] ?? '',
    service: 'bedrock',
    region: String(parameters['region'] ?? ''),
    datetime: new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  });
  return Object.fromEntries((await signer.sign()).headers);
}
