// Says what to do when a server does not answer a command.
import type { SendFailure } from '../foundation/http/send-request.js';

/** Codes of certificates that Node does not trust. */
const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The problem and the next step, in one line. `option`: the one that names the address, such as `--url`. */
export function answerProblem(url: string, failure: SendFailure, option: string): string {
  return `${url} does not answer: ${failure.message}. ${nextStep(url, codeOf(failure), option)}`;
}

function nextStep(url: string, code: string, option: string): string {
  if (untrusted.has(code))
    return (
      'This machine does not trust the certificate of the server: set the variable NODE_EXTRA_CA_CERTS to the file ' +
      'of the certificate, or of the authority that signed it (PEM)'
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate is for other names: give one of them with ${option}`;
  if (code === 'CERT_HAS_EXPIRED') return 'Renew the certificate of the server';
  // Node 20 reports all errors of OpenSSL itself so.
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return `If the server does not use TLS, write http:// in ${option}`;
  if (code === 'ECONNRESET' && url.startsWith('http:'))
    return `If the server uses TLS, write https:// in ${option}`;
  return `Start a server (colonnade serve), or give its address with ${option}`;
}

function codeOf({ cause }: SendFailure): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
