// Checks the next steps that commands name when a server does not answer.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { describe, it } from 'node:test';
import { answerProblem } from '../../src/cli/answer-problem.js';
import { SendFailure, sendRequest } from '../../src/foundation/http/send-request.js';
import { makeCertificate } from '../make-certificate.js';

/** The problem with `scheme` of a server that listens on loopback. */
async function problemAt(server: NetServer | Server, scheme: 'http' | 'https'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server
  const url = `${scheme}://127.0.0.1:${port}`;
  try {
    await sendRequest({ method: 'GET', url, headers: {}, timeoutMs: 5000, maxBodyBytes: 1000 });
    return 'there is an answer';
  } catch (error) {
    assert.ok(error instanceof SendFailure);
    return answerProblem(url, error, '--url').replace(url, 'URL');
  } finally {
    server.close();
  }
}

describe('answerProblem', () => {
  it('names NODE_EXTRA_CA_CERTS for a certificate that is not trusted', async () => {
    const server = createTlsServer(makeCertificate('colonnade'));
    assert.match(
      await problemAt(server, 'https'),
      /^URL does not answer: self-signed certificate[.;] .+ NODE_EXTRA_CA_CERTS .+ \(PEM\)$/,
    );
  });

  it('names the other scheme where only one side uses TLS', async () => {
    assert.match(await problemAt(createServer(), 'https'), /does not use TLS, write http:\/\/ in --url$/);
    const server = createTlsServer(makeCertificate('colonnade'));
    assert.match(await problemAt(server, 'http'), /uses TLS, write https:\/\/ in --url$/);
  });

  it('names other problems of certificates', () => {
    const problem = (code: string) => {
      const cause = Object.assign(new Error(code), { code });
      return answerProblem('https://h', new SendFailure('unreachable', code, cause), '--ops-url');
    };
    assert.match(problem('ERR_TLS_CERT_ALTNAME_INVALID'), /other names: give one of them with --ops-url$/);
    assert.match(problem('CERT_HAS_EXPIRED'), /Renew the certificate/);
    assert.match(problem('ECONNREFUSED'), /Start a server .+ with --ops-url$/);
  });
});
