// Makes self-signed certificates for tests of TLS, so that none with its key lies in the repository.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate and its key as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate for `localhost` and an IPv4 address with this common name, valid for a day. */
export function makeCertificate(
  commonName: string,
  keyType: 'ec' | 'rsa' = 'ec',
  address = '127.0.0.1',
): TestCertificate {
  const { publicKey, privateKey } =
    keyType === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signatureType = signatureTypes[keyType];
  const name = sequence(set(sequence(objectId([0x55, 0x04, 0x03]), der(0x0c, Buffer.from(commonName)))));
  const now = Date.now();
  const alternativeNames = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from(address.split('.').map(Number))),
  );
  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    signatureType,
    name,
    sequence(time(now - 3_600_000), time(now + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(objectId([0x55, 0x1d, 0x11]), der(0x04, alternativeNames)))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, signatureType, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** With SHA-256: of ECDSA, and of RSA with the parameters NULL. */
const signatureTypes = {
  ec: sequence(objectId([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])),
  rsa: sequence(objectId([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]), der(0x05)),
} as const;

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(0x30, ...contents);
}

function set(...contents: readonly Buffer[]): Buffer {
  return der(0x31, ...contents);
}

function integer(value: Buffer): Buffer {
  return der(0x02, value);
}

function objectId(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function time(ms: number): Buffer {
  return der(0x18, Buffer.from(new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')));
}
