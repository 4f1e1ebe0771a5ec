// A receiver of SNMP notifications that checks who sends them and what they hold.
import { createSocket } from 'node:dgram';
import snmp from 'net-snmp';
import { enterprise } from '../../src/ops-service/notifications/channels/snmp-objects.js';
import type { ChannelReceiver, ReceivedMessage, ReceiverMood } from './describe-channel.js';

/** Versions of the protocol. */
export type SnmpVersion = '1' | '2c' | '3';

const community = 'secret-community';
const authKey = 'secret-auth-key';
const privacyKey = 'secret-privacy-key';

/** What the library hands over; it has no types for it. */
interface Notification {
  readonly pdu: {
    readonly type: number;
    readonly enterprise?: string;
    readonly specific?: number;
    readonly varbinds: readonly { readonly oid: string; readonly value: Buffer | number | string }[];
  };
}

/** Starts a receiver on a free port. */
export async function startSnmpReceiver(version: SnmpVersion): Promise<ChannelReceiver> {
  const received: ReceivedMessage[] = [];
  const faults: string[] = [];
  const port = await freePort();
  const take = (error: Error | null, notification?: Notification) => {
    if (error !== null) faults.push(error.message);
    else if (notification !== undefined) received.push(messageOf(notification, version));
  };
  const options = { port, address: '127.0.0.1', transport: 'udp4', disableAuthorization: false };
  let receiver = openReceiver(options, take);
  const settingsFor = (host: string) => ({
    type: 'snmp',
    host,
    port,
    version,
    ...(version === '3'
      ? { username: 'ann', auth_key: authKey, privacy_key: privacyKey, auth_protocol: 'sha256' }
      : { community }),
  });
  let mood: ReceiverMood = 'accept';
  return {
    settings: settingsFor('127.0.0.1'),
    secrets: ['secret-'],
    received,
    faults,
    settingsFor,
    get mood() {
      return mood;
    },
    set mood(wanted) {
      // Silence is all that datagrams can show.
      if (wanted === 'stall' && mood !== 'stall') receiver.close();
      if (wanted !== 'stall' && mood === 'stall') receiver = openReceiver(options, take);
      mood = wanted;
    },
    close: async () => {
      if (mood !== 'stall') receiver.close();
    },
  };
}

function openReceiver(
  options: object,
  take: (error: Error | null, notification?: Notification) => void,
): { close(): void } {
  const receiver = snmp.createReceiver(options, take);
  const authorizer = receiver.getAuthorizer();
  authorizer.addCommunity(community);
  authorizer.addUser({
    name: 'ann',
    level: snmp.SecurityLevel.authPriv,
    authProtocol: snmp.AuthProtocols.sha256,
    authKey,
    privProtocol: snmp.PrivProtocols.aes,
    privKey: privacyKey,
  });
  return receiver;
}

function messageOf({ pdu }: Notification, version: SnmpVersion): ReceivedMessage {
  const wantedType = { '1': snmp.PduType.Trap, '2c': snmp.PduType.TrapV2, '3': snmp.PduType.InformRequest }[
    version
  ];
  if (pdu.type !== wantedType) throw new Error(`a PDU of the type ${pdu.type}`);
  const values = new Map(pdu.varbinds.map(({ oid, value }) => [oid, String(value)]));
  const name = version === '1' ? `${pdu.enterprise}.0.${pdu.specific}` : values.get('1.3.6.1.6.3.1.1.4.1.0');
  const objects = [...values].filter(([oid]) => oid.startsWith(`${enterprise}.1.`));
  const cell = (column: number, row: number) => values.get(`${enterprise}.3.1.${column}.${row}`);
  const rows = [...values.keys()].flatMap((oid) =>
    oid.startsWith(`${enterprise}.3.1.2.`) ? [Number(oid.split('.').at(-1))] : [],
  );
  const text = [
    `notification ${name}`,
    ...rows.map((row) => `annotation ${row} ${cell(2, row)}: ${cell(3, row)}`),
    ...objects.map(([oid, value]) => `${oid.slice(enterprise.length + 3)} ${value}`),
  ];
  return { id: values.get(`${enterprise}.1.15.0`) ?? '', text: text.join('\n') };
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}
