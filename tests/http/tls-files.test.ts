// Files that cannot be used for TLS are refused in words, and dates that clients refuse are logged.
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ConfigProblems } from '../../src/foundation/config/load-config.js';
import { readPemFile, readTlsFiles, warnOfDates } from '../../src/foundation/http/tls-files.js';
import type { LogFields } from '../../src/foundation/telemetry/logger.js';
import { makeCertificate } from '../make-certificate.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-tls-'));
after(() => rmSync(directory, { recursive: true }));
const [tlsCert, tlsKey] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
const [first, second] = [makeCertificate('first'), makeCertificate('second')];

function write(cert: string, key: string): void {
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, key);
}

function problemsOf(cert: string, key: string): readonly string[] {
  write(cert, key);
  try {
    readTlsFiles({ tlsCert, tlsKey });
  } catch (error) {
    assert.ok(error instanceof ConfigProblems);
    return error.problems;
  }
  return [];
}

describe('the files of a certificate', () => {
  it('are read with intermediate certificates', () => {
    const identity = { cert: first.cert + second.cert, key: first.key };
    write(identity.cert, identity.key);
    assert.deepEqual(readTlsFiles({ tlsCert, tlsKey }), identity);
  });

  it('are refused while they are empty, as in the middle of a renewal', () => {
    assert.deepEqual(problemsOf('', '\n'), [
      `--tls-cert is "${tlsCert}", which is empty`,
      `--tls-key is "${tlsKey}", which is empty`,
    ]);
    assert.match(problemsOf(first.cert, '')[0] ?? '', /--tls-key is .*, which is empty$/);
    assert.throws(() => readPemFile('cassandra-tls-ca', tlsKey), /--cassandra-tls-ca is .*, which is empty/);
  });

  it('are refused in words', () => {
    const encrypted = createPrivateKey(first.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
      .toString();
    assert.match(problemsOf('x', first.key)[0] ?? '', /the first file has no certificate as PEM/);
    assert.match(problemsOf(first.cert, first.cert)[0] ?? '', /the second file has no private key as PEM/);
    assert.match(
      problemsOf(first.cert, encrypted)[0] ?? '',
      /the key is encrypted; .*: openssl pkey -in KEY/,
    );
    assert.match(problemsOf(first.cert, second.key)[0] ?? '', /the key belongs to another certificate/);
    assert.match(
      problemsOf(`${first.cert}-----BEGIN CERTIFICATE-----\nx`, first.key)[0] ?? '',
      /bad end line/,
    );
  });

  it('lead to a warning if clients refuse their dates', () => {
    const dayMs = 86_400_000;
    const warningsAt = (nowMs: number) => {
      const warnings: [LogFields, string][] = [];
      warnOfDates(first, { tlsCert }, nowMs, { warn: (...entry) => warnings.push(entry) });
      return warnings;
    };
    assert.deepEqual(warningsAt(Date.now()), []);
    const [[fields, message] = []] = warningsAt(Date.now() + 2 * dayMs);
    assert.match(message ?? '', /has expired/);
    assert.deepEqual(Object.keys(fields ?? {}), ['tlsCert', 'validTo']);
    assert.match(warningsAt(Date.now() - dayMs)[0]?.[1] ?? '', /is not valid yet/);
  });
});
