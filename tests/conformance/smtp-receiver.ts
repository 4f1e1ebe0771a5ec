// A real SMTP server that receives the mail of channels.
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { makeCertificate, type TestCertificate } from '../make-certificate.js';
import type { ChannelReceiver, ReceivedMessage, ReceiverMood } from './describe-channel.js';

/** How the connection is secured. */
export type SmtpSecurity = 'tls' | 'starttls' | 'none';

const password = 'secret-password';

/** A mail server as the receiver of a channel. */
export interface SmtpReceiver extends ChannelReceiver {
  /** The codes with which addressees are refused, by address. */
  readonly refusals: Map<string, number>;
  /** To whom each message that was received went, in order. */
  readonly envelopes: readonly (readonly string[])[];
}

/** Starts a server on a free port. With `tls` and `starttls` it wants a login. */
export async function startSmtpReceiver(security: SmtpSecurity): Promise<SmtpReceiver> {
  const certificate = makeCertificate('localhost');
  const received: ReceivedMessage[] = [];
  const faults: string[] = [];
  const refusals = new Map<string, number>();
  const envelopes: (readonly string[])[] = [];
  const smtp = createMailServer(security, certificate, () => receiver.mood, {
    refusals,
    take: (raw, addressees) => {
      received.push(readMail(raw));
      envelopes.push(addressees);
    },
    fault: (problem) => void faults.push(problem),
  });
  smtp.on('error', () => {}); // connections that are cut by the client
  const front = createFront(smtp, () => receiver.mood);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  // It listens on a port, not on a pipe.
  const { port } = front.address() as AddressInfo;
  const settingsFor = (host: string) => ({
    type: 'email',
    host,
    port,
    security,
    ...(security === 'none' ? {} : { username: 'ann', password, ca: certificate.cert }),
    from: 'colonnade@example.org',
    to: ['ops@example.org', 'night@example.org'],
  });
  const receiver: SmtpReceiver & { mood: ReceiverMood } = {
    refusals,
    envelopes,
    mood: 'accept',
    settings: settingsFor('127.0.0.1'),
    secrets: security === 'none' ? [] : [password, Buffer.from(password).toString('base64')],
    received,
    faults,
    settingsFor,
    close: async () => {
      for (const socket of front.sockets) socket.destroy();
      await new Promise((resolve) => front.close(resolve));
    },
  };
  return receiver;
}

/** The mail server itself; `take` throws at a mail that it does not like. */
function createMailServer(
  security: SmtpSecurity,
  certificate: TestCertificate,
  mood: () => ReceiverMood,
  {
    refusals,
    take,
    fault,
  }: {
    readonly refusals: ReadonlyMap<string, number>;
    take(raw: string, addressees: readonly string[]): void;
    fault(problem: string): void;
  },
): SMTPServer {
  return new SMTPServer({
    secure: security === 'tls',
    authOptional: security === 'none',
    disabledCommands: security === 'none' ? ['AUTH', 'STARTTLS'] : [],
    ...certificate,
    onAuth: (auth, _session, callback) =>
      auth.username === 'ann' && auth.password === password
        ? callback(null, { user: 'ann' })
        : callback(new Error('wrong login')),
    onMailFrom: (_address, _session, callback) => {
      switch (mood()) {
        case 'busy':
          callback(smtpError(451, `try later, ${password}`));
          break;
        case 'refuse':
          callback(smtpError(550, `not ann with ${password}`));
          break;
        default:
          callback();
      }
    },
    onRcptTo: ({ address }, _session, callback) => {
      const code = refusals.get(address);
      if (code === undefined) callback();
      else callback(smtpError(code, `no ${address} with ${password} today`));
    },
    onData: (stream, session, callback) => {
      const chunks: string[] = [];
      stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
      stream.on('end', () => {
        try {
          if (security !== 'none' && !session.secure) throw new Error('came in the clear');
          take(
            chunks.join(''),
            session.envelope.rcptTo.map(({ address }) => address),
          );
          callback();
        } catch (error) {
          fault(error instanceof Error ? error.message : String(error));
          callback(smtpError(554, 'no mail'));
        }
      });
    },
  });
}

/** Takes connections in the place of the mail server, for the moods in which none is seen. */
function createFront(smtp: SMTPServer, mood: () => ReceiverMood) {
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    switch (mood()) {
      case 'stall':
        break;
      case 'cut':
        socket.end('220 mail ESM');
        break;
      case 'lie':
        socket.end('HTTP/1.1 200 OK\r\n\r\n');
        break;
      default:
        smtp.server.emit('connection', socket);
    }
  });
  return Object.assign(front, { sockets });
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Headers unfolded and decoded, and the decoded text. Throws at a mail that lacks what mails have. */
function readMail(raw: string): ReceivedMessage {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  for (const name of ['from', 'to', 'subject', 'date', 'message-id']) {
    if (!headers.has(name)) throw new Error(`the mail has no ${name}`);
  }
  if (headers.has('bcc')) throw new Error('a header was smuggled in');
  const body = raw.slice(end + 4);
  const encoding = headers.get('content-transfer-encoding');
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? fromQuotedPrintable(body)
        : body;
  const shown = ['from', 'to', 'message-id', 'auto-submitted'].map((name) => `${name}: ${headers.get(name)}`);
  const subject = decodeWords(headers.get('subject') ?? '');
  return {
    id: headers.get('message-id') ?? '',
    text: [...shown, `subject: ${subject}`, '', text].join('\n'),
  };
}

function fromQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/((?:=[0-9A-F]{2})+)/g, (run) =>
      Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'),
    );
  return bytes;
}

function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : fromQuotedPrintable(word.replaceAll('_', ' ')),
    );
}
