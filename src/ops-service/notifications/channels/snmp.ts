// The channel `snmp`: traps of SNMP v1 and v2c, informs of v3. The only file that imports net-snmp, on demand.
import { isIPv6 } from 'node:net';
import type { Session, User, Varbind } from 'net-snmp';
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
import { enterprise, noticeVarbinds, notificationNumber } from './snmp-objects.js';

const key = limitedText(200, 8);

const schema = v.pipe(
  closedObject({
    type: v.literal('snmp'),
    ...routingEntries,
    host: labelled(hostText, 'Host'),
    port: v.optional(labelled(portNumber, 'Port', { start: '' }), 162),
    version: v.optional(
      labelled(v.picklist(['1', '2c', '3']), 'Version', {
        choices: ['3', '2c', '1'].map((version) => [version, version] as const),
      }),
      '3',
    ),
    community: v.optional(
      labelled(limitedText(200, 1), 'Community', { remark: '(1 and 2c)', isSecret: true }),
    ),
    username: v.optional(labelled(limitedText(32, 1), 'User', { remark: '(3)' })),
    auth_protocol: v.optional(
      labelled(v.picklist(['sha', 'sha224', 'sha256', 'sha384', 'sha512']), 'Authentication protocol', {
        remark: '(3)',
        isForPrograms: true,
      }),
      'sha256',
    ),
    auth_key: v.optional(labelled(key, 'Authentication key', { remark: '(3)', isSecret: true })),
    privacy_protocol: v.optional(
      labelled(v.picklist(['aes']), 'Privacy protocol', { remark: '(3)', isForPrograms: true }),
      'aes',
    ),
    privacy_key: v.optional(labelled(key, 'Privacy key', { remark: '(3)', isSecret: true })),
  }),
  checkAt(
    'community',
    ({ version, community }) => (version === '3') === (community === undefined),
    'is for the versions 1 and 2c, which need it',
  ),
  checkAt(
    'username',
    ({ version, username }) => (version === '3') === (username !== undefined),
    'is for version 3, which needs it',
  ),
  checkAt(
    'auth_key',
    ({ version, auth_key: authKey }) => (version === '3') === (authKey !== undefined),
    'is for version 3, which needs it',
  ),
  checkAt(
    'privacy_key',
    ({ version, privacy_key: privacyKey }) => version === '3' || privacyKey === undefined,
    'is for version 3',
  ),
);

type SnmpSettings = v.InferOutput<typeof schema>;

/**
 * Traps are never acknowledged. Version 3 sends informs, which are acknowledged: for a trap of version 3, receivers
 * would have to know the clock of this server.
 */
export const snmpKind: ChannelKind = {
  type: 'snmp',
  schema,
  secretUrls: [],
  places: ['host', 'port'],
  open: (settings, surroundings) => openSnmp(v.parse(schema, settings), surroundings),
};

function openSnmp(settings: SnmpSettings, surroundings: ChannelSurroundings): Channel {
  return {
    async deliver(notices, _attemptId, signal) {
      const [notice] = notices;
      if (notice === undefined) return { kind: 'sent' };
      try {
        return await send(settings, surroundings, notice, signal);
      } catch (error) {
        return judge(error, settings);
      }
    },
  };
}

async function send(
  settings: SnmpSettings,
  surroundings: ChannelSurroundings,
  notice: Notice,
  signal: AbortSignal,
): Promise<Delivery> {
  const address = await surroundings.resolve(settings.host);
  const { default: snmp } = await import('net-snmp');
  const session = openSession(snmp, settings, address, surroundings.timeoutMs);
  try {
    const varbinds = noticeVarbinds(notice).map(({ oid, value }) => ({
      oid,
      type: typeof value === 'number' ? snmp.ObjectType.Integer : snmp.ObjectType.OctetString,
      value,
    }));
    await sendOver(session, settings.version, notificationNumber(notice), varbinds, signal);
    return settings.version === '3' ? { kind: 'sent' } : { kind: 'sent', note: 'a trap is not acknowledged' };
  } finally {
    session.close();
  }
}

type SnmpLibrary = typeof import('net-snmp');

function openSession(snmp: SnmpLibrary, settings: SnmpSettings, address: string, timeoutMs: number): Session {
  const { version, community, username, auth_key: authKey, privacy_key: privKey } = settings;
  const options = {
    trapPort: settings.port,
    transport: isIPv6(address) ? ('udp6' as const) : ('udp4' as const),
    // An inform is sent at most twice, and so is the query of the receiver's clock before it.
    retries: 1,
    timeout: Math.ceil(timeoutMs / 4),
    idBitsSize: 32 as const,
  };
  if (version !== '3') {
    const numbers = { '1': snmp.Version1, '2c': snmp.Version2c };
    return snmp.createSession(address, community ?? '', { ...options, version: numbers[version] });
  }
  const auth = { authProtocol: snmp.AuthProtocols[settings.auth_protocol], authKey: authKey ?? '' };
  const user =
    privKey === undefined
      ? { name: username ?? '', level: snmp.SecurityLevel.authNoPriv, ...auth }
      : {
          name: username ?? '',
          level: snmp.SecurityLevel.authPriv,
          ...auth,
          privProtocol: snmp.PrivProtocols.aes,
          privKey,
        };
  // The library's types have one form for each level.
  return snmp.createV3Session(address, user as User, options);
}

/** Resolves when it was sent; with version 3, when the receiver has acknowledged it. */
function sendOver(
  session: Session,
  version: SnmpSettings['version'],
  number: number,
  varbinds: Varbind[],
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('the attempt was given up'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const settle = (error: Error | null) => {
      signal.removeEventListener('abort', abort);
      if (error === null) resolve();
      else reject(error);
    };
    session.on('error', settle);
    switch (version) {
      case '1':
        // RFC 3584 prescribes that the enterprise is the name without its last two numbers.
        session.trap(`${enterprise}.${number}`, varbinds, '0.0.0.0', settle);
        break;
      case '2c':
        session.trap(`${enterprise}.0.${number}`, varbinds, settle);
        break;
      case '3':
        session.inform(`${enterprise}.0.${number}`, varbinds, settle);
        break;
    }
  });
}

function judge(
  error: unknown,
  { community, auth_key: authKey, privacy_key: privacyKey }: SnmpSettings,
): Delivery {
  const secrets = [community, authKey, privacyKey].filter((secret) => secret !== undefined);
  const reason = firstLine(error instanceof Error ? error.message : String(error), secrets);
  if (error instanceof AddressDenied) return { kind: 'failed', reason };
  // A refusal because of a wrong user or key will be the same at the next attempt.
  if (error instanceof Error && error.name === 'ResponseInvalidError') return { kind: 'failed', reason };
  return { kind: 'retry', reason, mayHaveArrived: true };
}
