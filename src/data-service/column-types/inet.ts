// The inet type: literal IPv4 and IPv6 addresses, never names.
import { isIPv4, isIPv6 } from 'node:net';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { driverBytes } from './driver-values.js';
import { expectString, quoted } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

/** Values are the 4 or 16 bytes of the address. */
export const inet: ColumnType<Uint8Array> = {
  name: 'inet',
  help: 'a literal IPv4 or IPv6 address, as a string',
  input: { kind: 'word', example: '192.0.2.1' },
  parse(json) {
    const text = expectString(json, 'an IPv4 or IPv6 address');
    if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number);
    // The platform accepts zone ids (`fe80::1%eth0`), which name an interface of one machine.
    if (isIPv6(text) && !text.includes('%')) return withoutMapping(bytesOfIPv6(text));
    throw new ValueMismatch(`${quoted(text)} is not a literal IPv4 or IPv6 address`);
  },
  extendedLiteral: (json) => (typeof json === 'string' ? wholeAddressOf(json) : json),
  serialize: (value) => `"${value.length === 4 ? value.join('.') : groupsOf(value).join(':')}"`,
  compare: (left, right) => Buffer.compare(left, right),
  sql: {
    columnType: 'BLOB',
    readsBigInt: false,
    encode: (value) => value,
    decode: (stored) => stored as Uint8Array, // what encode returned
  },
  cql: {
    type: 'inet',
    encode: (value) => Buffer.from(value),
    fromDriver: (value) => withoutMapping(driverBytes(value)),
    isIndexedInOtherOrder: true, // by the IPv6 addresses that stand for IPv4 ones
    hasSeveralForms: true, // other clients can store such an address in either form
  },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      ...['"0.0.0.0"', '"::"', '"::1"', '"::1.2.3.4"', '"1.2.3.4"', '"::ffff:9.255.255.255"', '"10.0.0.0"'],
      ...[
        '"2001:db8::1:0:0:1"',
        '"2001:DB8:85a3::8a2e:370:7334"',
        '"127.0.0.1"',
        '"128.0.0.1"',
        '"192.168.0.1"',
      ],
      ...['"fe80::1"', '"255.255.255.255"', '"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"'],
    ],
    rejects: [
      ...['"localhost"', '"example.com"', '""', '" 1.2.3.4"', '"1.2.3"', '"1"', '"1.2.3.4.5"', '"01.2.3.4"'],
      ...['"1.2.3.256"', '"0x7f.0.0.1"', '"1.2.3.4/8"', '"1.2.3.-4"', '"[::1]"', '"fe80::1%eth0"', '"::1%1"'],
      ...['"1::2::3"', '":::"', '"1:2:3:4:5:6:7"', '"1:2:3:4:5:6:7:8:9"', '"12345::"', '"g::"', '"::1.2.3"'],
      ...['"::1.2.3.256"', '"::01.2.3.4"', '"1.2.3.4\\n"', '2130706433', 'true', '[127,0,0,1]', '{}'],
    ],
  },
};

/**
 * The address of `localhost`, and of the short forms in which the last number has the rest of the four bytes: `127.1`,
 * `192.168.36095`. Other texts are returned as they are, and no name is looked up.
 */
function wholeAddressOf(text: string): string {
  if (text === 'localhost') return '127.0.0.1';
  const numbers = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){1,2}$/.test(text) ? text.split('.').map(Number) : [];
  const rest = numbers.pop() ?? 0;
  const missing = 4 - numbers.length;
  if (numbers.length === 0 || rest >= 256 ** missing) return text;
  const last = Array.from({ length: missing }, (_, at) => Math.floor(rest / 256 ** (missing - 1 - at)) % 256);
  return [...numbers, ...last].join('.');
}

/** The platform must have accepted the text. */
function bytesOfIPv6(text: string): Uint8Array {
  const [head = '', tail] = text.split('::');
  const first = bytesOfGroups(head);
  const last = bytesOfGroups(tail ?? '');
  const bytes = new Uint8Array(16);
  bytes.set(first);
  bytes.set(last, 16 - last.length);
  return bytes;
}

function bytesOfGroups(groups: string): readonly number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 0xff];
  });
}

/** An IPv4 address mapped into IPv6 (`::ffff:1.2.3.4`) is the IPv4 address, as in Java's InetAddress. */
function withoutMapping(bytes: Uint8Array): Uint8Array {
  const isMapped =
    bytes.length === 16 &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff &&
    bytes.subarray(0, 10).every((byte) => byte === 0);
  return isMapped ? bytes.slice(12) : bytes;
}

function groupsOf(bytes: Uint8Array): readonly string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: 8 }, (_, group) => view.getUint16(2 * group).toString(16));
}
