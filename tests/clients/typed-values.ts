// Values of every scalar type as the official client's own classes, and one text per value to compare them by.
import {
  BigNumber,
  DataAPIBlob,
  DataAPIDate,
  DataAPIDuration,
  DataAPIInet,
  DataAPITime,
  UUID,
} from '@datastax/astra-db-ts';

/** A column type and values of it. */
export interface TypedValues {
  readonly type: string;
  /** What `describeValue` calls the kind of a value that was read. */
  readonly kind: string;
  /** Strictly ascending in the type's order; both ends of its range where the client can express them. */
  readonly values: readonly unknown[];
  /** Whether the type can be in a primary key. */
  readonly canBeKey: boolean;
}

const maxInt64 = 9_223_372_036_854_775_807n;
const fortyDigits = '1234567890123456789012345678901234567890';

/** Every type with which a table can be created, in the specification's order. */
export const typedValues: readonly TypedValues[] = [
  scalar('bigint', 'bigint', [-maxInt64 - 1n, -9_007_199_254_740_993n, -1n, 0n, 1n, maxInt64]),
  scalar('decimal', 'BigNumber', [
    BigNumber(`-${fortyDigits}.5`),
    BigNumber('-1e-50'),
    BigNumber(0),
    BigNumber('1e-50'),
    BigNumber('0.1'),
    BigNumber('12.3456789012345678901234567890123456789'),
    BigNumber('1e50'),
  ]),
  scalar('double', 'number', [
    Number.NEGATIVE_INFINITY,
    -Number.MAX_VALUE,
    -0.1,
    0,
    Number.MIN_VALUE,
    0.1,
    Number.MAX_VALUE,
    Number.POSITIVE_INFINITY,
    Number.NaN,
  ]),
  scalar('float', 'number', [
    Number.NEGATIVE_INFINITY,
    -3.4028235e38,
    -0.1,
    0,
    1e-45,
    123.456,
    3.4028235e38,
    Number.POSITIVE_INFINITY,
    Number.NaN,
  ]),
  scalar('int', 'number', [-2_147_483_648, -1, 0, 1, 2_147_483_647]),
  scalar('smallint', 'number', [-32_768, -1, 0, 1, 32_767]),
  scalar('tinyint', 'number', [-128, -1, 0, 1, 127]),
  scalar('varint', 'bigint', [-BigInt(fortyDigits), -1n, 0n, 1n, 2n ** 64n, BigInt(fortyDigits)]),
  scalar('date', 'DataAPIDate', [
    new DataAPIDate('-0001-12-31'),
    new DataAPIDate('1969-12-31'),
    new DataAPIDate('2024-02-29'),
    new DataAPIDate('+10000-01-01'),
  ]),
  scalar('time', 'DataAPITime', [
    new DataAPITime('00:00:00'),
    new DataAPITime('00:00:00.000000001'),
    new DataAPITime('10:15:30.1234'),
    new DataAPITime('23:59:59.999999999'),
  ]),
  scalar('timestamp', 'Date', [
    // Years before 0 and after 9999 are not in the table: JavaScript's own Date reads those with six digits only.
    new Date('0000-01-01T00:00:00.000Z'),
    new Date('1969-12-31T23:59:59.999Z'),
    new Date(0),
    new Date('2024-02-29T01:02:03.004Z'),
    new Date('9999-12-31T23:59:59.999Z'),
  ]),
  {
    ...scalar('duration', 'DataAPIDuration', [
      new DataAPIDuration('-1y2mo3d4h5m6s7ms'),
      new DataAPIDuration(0, 0, 0),
      new DataAPIDuration(14, 25, 18_367_008_009_010n),
      new DataAPIDuration('P1Y2M3DT4H5M6.789S'),
    ]),
    canBeKey: false,
  },
  scalar('uuid', 'UUID', [
    new UUID('13814000-1dd2-11b2-8000-000000000000'),
    new UUID('00000000-0000-4000-8000-000000000000'),
    new UUID('123e4567-e89b-42d3-a456-426614174000'),
    new UUID('01890a5d-ac96-774b-bcce-b302099a8057'),
  ]),
  scalar('ascii', 'string', ['!', 'A', 'a', 'a ~']),
  scalar('boolean', 'boolean', [false, true]),
  scalar('inet', 'DataAPIInet', [
    new DataAPIInet('0:0:0:0:0:0:0:1'),
    new DataAPIInet('10.0.0.1'),
    new DataAPIInet('2001:db8:85a3:0:0:8a2e:370:7334'),
    new DataAPIInet('192.168.0.1'),
  ]),
  scalar('text', 'string', ['\u0000', '"\\\n', 'Z', 'a', 'ä', '数', '🙂']),
  scalar('blob', 'DataAPIBlob', [
    new DataAPIBlob(Buffer.from([0])),
    new DataAPIBlob(Buffer.from([0, 255])),
    new DataAPIBlob(Buffer.from([127])),
    new DataAPIBlob(Buffer.from([255, 254])),
  ]),
];

/** The kind of a value and its canonical text: equal for equal values of one kind only. */
export function describeValue(value: unknown): string {
  if (value instanceof DataAPIBlob) return `DataAPIBlob ${value.asBase64()}`;
  if (value instanceof DataAPIDuration) {
    return `DataAPIDuration ${value.months} ${value.days} ${value.nanoseconds}`;
  }
  if (value instanceof Date) return `Date ${value.toISOString()}`;
  if (BigNumber.isBigNumber(value)) return `BigNumber ${value.toFixed()}`;
  if (typeof value === 'object' && value !== null) return `${value.constructor.name} ${value.toString()}`;
  return `${typeof value} ${String(value)}`;
}

function scalar(type: string, kind: string, values: readonly unknown[]): TypedValues {
  return { type, kind, values, canBeKey: true };
}
