// The channel `email`: joins waiting notices into one message. The only file that imports nodemailer, on demand.
import * as v from 'valibot';
import { AddressDenied } from '../../../foundation/http/checked-lookup.js';
import { checkAt, closedObject } from '../../errors/closed-object.js';
import { labelled } from '../../errors/describe-field.js';
import { hostText, limitedText, portNumber } from '../../errors/limited-text.js';
import {
  type Channel,
  type ChannelKind,
  type ChannelSurroundings,
  type Delivery,
  routingEntries,
} from '../channel.js';
import { firstLine } from '../http-delivery.js';
import type { Notice } from '../notice.js';
import { annotationFacts, messageTitle, noticeFacts, noticeTitle } from '../notice-text.js';
import { type AddresseeRefusal, deliveryOf } from './mail-addressees.js';

const address = v.pipe(
  v.string(),
  v.regex(/^[^\s@<>"(),:;]{1,64}@[^\s@<>"(),:;]{1,253}$/, 'must be a mail address without a name'),
);

const loginText = limitedText(1000);

const schema = v.pipe(
  closedObject({
    type: v.literal('email'),
    ...routingEntries,
    host: labelled(hostText, 'Host'),
    port: v.optional(labelled(portNumber, 'Port')),
    security: v.optional(labelled(v.picklist(['starttls', 'tls', 'none']), 'Security'), 'starttls'),
    ca: v.optional(
      labelled(
        v.pipe(
          v.string(),
          v.maxLength(65_536, 'must have at most 65536 characters'),
          v.includes('-----BEGIN CERTIFICATE-----', 'must be certificates in PEM'),
        ),
        'Certificates',
        {
          help: 'certificates in PEM that are trusted in addition to those of the system',
          isForPrograms: true,
        },
      ),
    ),
    from: labelled(address, 'From'),
    to: labelled(
      v.pipe(
        v.array(address),
        v.minLength(1, 'must name someone'),
        v.maxLength(100, 'must name at most 100'),
      ),
      'To',
    ),
    username: v.optional(labelled(loginText, 'User')),
    password: v.optional(labelled(loginText, 'Password', { isSecret: true })),
  }),
  checkAt(
    'security',
    ({ password, security }) => password === undefined || security !== 'none',
    'must be tls or starttls: a password is not sent in the clear',
  ),
  checkAt(
    'username',
    ({ username, password }) => (username === undefined) === (password === undefined),
    'needs username and password together',
  ),
);

type EmailSettings = v.InferOutput<typeof schema>;

/** Sends mail over SMTP. */
export const emailKind: ChannelKind = {
  type: 'email',
  schema,
  secretUrls: [],
  places: ['host', 'port'],
  joining: { waitMs: 5000, maxNotices: 100, intoIncidents: false },
  open: (settings, surroundings) => openEmail(v.parse(schema, settings), surroundings),
};

const ordinaryPorts = { starttls: 587, tls: 465, none: 25 } as const;

function openEmail(settings: EmailSettings, surroundings: ChannelSurroundings): Channel {
  return {
    async deliver(notices, attemptId, outerSignal, settled = []) {
      const open = settings.to.filter((to) => !settled.some((one) => one.address === to));
      if (open.length === 0) return deliveryOf(open, settled, [], secretsOf(settings));
      // The library limits the time between two replies, not the total: a slow server must not delay an attempt for
      // long.
      const timeout = AbortSignal.timeout(surroundings.timeoutMs);
      const signal = AbortSignal.any([timeout, outerSignal]);
      try {
        const message = {
          ...messageOf(settings, notices, attemptId),
          envelope: { from: settings.from, to: open },
        };
        const refusals = await send(settings, surroundings, message, signal);
        return deliveryOf(open, settled, refusals, secretsOf(settings));
      } catch (error) {
        const refusals = refusalsOf(error);
        if (refusals.length > 0) return deliveryOf(open, settled, refusals, secretsOf(settings));
        const about = settled.length === 0 ? '' : `for ${open.join(', ')}: `;
        const delivery = judge(error, timeout.aborted ? surroundings.timeoutMs : undefined, settings);
        return { ...delivery, reason: `${about}${delivery.reason}` };
      }
    },
  };
}

/** Sends a message. Returns the refused addressees; rejects if all were refused, or with another failure. */
async function send(
  settings: EmailSettings,
  surroundings: ChannelSurroundings,
  message: object,
  signal: AbortSignal,
): Promise<readonly AddresseeRefusal[]> {
  const { createTransport } = await import('nodemailer');
  const smtpPort = settings.port ?? ordinaryPorts[settings.security];
  const connection = await surroundings.connect(settings.host, smtpPort, signal);
  const { username, password } = settings;
  const transport = createTransport({
    host: settings.host,
    port: smtpPort,
    secure: settings.security === 'tls',
    requireTLS: settings.security === 'starttls',
    ignoreTLS: settings.security === 'none',
    ...(username === undefined || password === undefined ? {} : { auth: { user: username, pass: password } }),
    tls: settings.ca === undefined ? {} : { ca: settings.ca },
    connectionTimeout: surroundings.timeoutMs,
    greetingTimeout: surroundings.timeoutMs,
    socketTimeout: surroundings.timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options: object, callback: (error: null, socket: object) => void) =>
      callback(null, { connection }),
  });
  const cut = () => connection.destroy();
  signal.addEventListener('abort', cut, { once: true });
  if (signal.aborted) cut();
  try {
    return refusalsOf(await transport.sendMail(message));
  } finally {
    signal.removeEventListener('abort', cut);
    transport.close();
    connection.destroy();
  }
}

function messageOf(settings: EmailSettings, notices: readonly Notice[], attemptId: string): object {
  const domain = settings.from.slice(settings.from.lastIndexOf('@') + 1);
  return {
    from: settings.from,
    to: [...settings.to],
    subject: messageTitle(notices),
    text: notices.map(textOf).join('\n'),
    messageId: `<${attemptId}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** The annotations come first, because they say what to do. Their further lines are indented like the first one. */
function textOf(notice: Notice): string {
  const facts = [...annotationFacts(notice), ...noticeFacts(notice)];
  const lines = facts.map(([name, value]) => `  ${name}: ${value.replaceAll('\n', '\n    ')}`);
  return `${noticeTitle(notice)}\n${lines.join('\n')}\n`;
}

/** The members that nodemailer adds to its errors. */
interface SmtpProblem {
  readonly command?: unknown;
  readonly responseCode?: unknown;
}

/** The refused addressees of the result of a message, or of the error if all were refused. */
function refusalsOf(outcome: unknown): readonly AddresseeRefusal[] {
  // The library declares this member only for results of connections.
  const { rejectedErrors } = Object(outcome) as { readonly rejectedErrors?: readonly AddresseeRefusal[] };
  return rejectedErrors ?? [];
}

function secretsOf({ username, password }: EmailSettings): readonly string[] {
  return [password, username].flatMap((secret) =>
    secret === undefined ? [] : [secret, Buffer.from(secret).toString('base64')],
  );
}

function judge(
  error: unknown,
  timedOutMs: number | undefined,
  settings: EmailSettings,
): Exclude<Delivery, { kind: 'sent' }> {
  const problem = (typeof error === 'object' && error !== null ? error : {}) as SmtpProblem;
  const words = firstLine(error instanceof Error ? error.message : String(error), secretsOf(settings));
  const reason = timedOutMs === undefined ? words : `the mail server took longer than ${timedOutMs} ms`;
  const { responseCode } = problem;
  if (typeof responseCode === 'number') {
    if (responseCode >= 500) return { kind: 'failed', reason };
    return { kind: 'retry', reason, mayHaveArrived: false };
  }
  if (error instanceof AddressDenied) return { kind: 'failed', reason };
  // Before the end of DATA the server has nothing; after it, a missing reply may mean success.
  return { kind: 'retry', reason, mayHaveArrived: problem.command === 'DATA' || timedOutMs !== undefined };
}
