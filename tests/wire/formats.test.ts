// The literal forms of every column type, in and out, over the wire.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const types: readonly string[] = [
  ...['ascii', 'bigint', 'blob', 'boolean', 'date', 'decimal', 'double', 'duration', 'float', 'inet', 'int'],
  ...['smallint', 'text', 'time', 'timestamp', 'tinyint', 'uuid', 'varint'],
];
const { at } = useWireServer({
  prepare: types.map((type) => [
    '/v1/default_keyspace',
    `{"createTable":{"name":"t_${type}","definition":{"columns":{"id":"int","v":"${type}"},"primaryKey":"id"}}}`,
  ]),
});

/** Stores the literal and reads it back as `returned`, also through a filter on it. */
async function returns(type: string, literal: string, returned: string): Promise<void> {
  const table = at(`/v1/default_keyspace/t_${type}`);
  const schema = `"projectionSchema":{"v":{"type":"${type}"}}`;
  await table(
    `{"insertOne":{"document":{"id":1,"v":${literal}}}}`,
    '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}',
  );
  await table(
    '{"findOne":{"filter":{"id":1},"projection":{"v":1}}}',
    `{"data":{"document":{"v":${returned}}},"status":{${schema}}}`,
  );
  const warning = '"warnings":[<REQUEST WARNING MISSING_INDEX: Filter without an index>]';
  for (const filter of [literal, returned, `{"$eq":${literal}}`, `{"$in":[${literal}]}`]) {
    await table(
      `{"findOne":{"filter":{"id":1,"v":${filter}},"projection":{"v":1}}}`,
      `{"data":{"document":{"v":${returned}}},"status":{${schema},${warning}}}`,
    );
  }
}

/** Expects the literal to be refused in an insert, an update and a filter, and nothing to be stored. */
async function refuses(type: string, literal: string): Promise<void> {
  const table = at(`/v1/default_keyspace/t_${type}`);
  const fact = `v(${type})`;
  const values = 'INVALID_COLUMN_VALUES: Values do not fit their columns';
  await table(
    `{"insertOne":{"document":{"id":2,"v":${literal}}}}`,
    `{"errors":[<REQUEST DOCUMENT ${values}>]}`,
    fact,
  );
  await table(
    `{"updateOne":{"filter":{"id":2},"update":{"$set":{"v":${literal}}}}}`,
    `{"errors":[<REQUEST UPDATE ${values}>]}`,
    fact,
  );
  await table(
    '{"findOne":{"filter":{"id":2},"projection":{"id":1}}}',
    '{"data":{"document":null},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
  );
  const isScalar = !/^[[{]/.test(literal);
  if (isScalar) {
    await table(
      `{"find":{"filter":{"v":${literal}}}}`,
      '{"errors":[<REQUEST FILTER INVALID_FILTER_COLUMN_VALUES: Filter value does not fit the column>]}',
      fact,
    );
  }
}

interface Forms {
  readonly returned?: readonly (readonly [types: string, literal: string, returned: string])[];
  readonly refused?: readonly (readonly [types: string, literal: string])[];
}

/** The rows of the documented differences, by name (docs/differences.md). `types` is a list with spaces. */
const formats: readonly (readonly [row: string, forms: Forms])[] = [
  [
    'time',
    {
      returned: [
        ['time', '"10:15:00"', '"10:15:00"'],
        ['time', '"10:15:30.1"', '"10:15:30.100"'],
        ['time', '"10:15:30.1234"', '"10:15:30.123400"'],
        ['time', '"10:15:30.1234567"', '"10:15:30.123456700"'],
        ['time', '"12:34:56.700000000"', '"12:34:56.700"'],
        ['time', '"00:00:00.000000000"', '"00:00:00"'],
        ['time', '"23:59:59.999999999"', '"23:59:59.999999999"'],
      ],
      refused: [
        ['time', '"10:15"'],
        ['time', '"24:00:00"'],
        ['time', '"10:15:30.1234567890"'],
        ['time', '"10:15:30Z"'],
        ['time', '101530'],
      ],
    },
  ],
  [
    'timestamp',
    {
      returned: [
        ['timestamp', '"2024-02-29T10:15:30Z"', '"2024-02-29T10:15:30.000Z"'],
        ['timestamp', '"2024-02-29T10:15:30.1Z"', '"2024-02-29T10:15:30.100Z"'],
        ['timestamp', '"2024-02-29T10:15:30.12+01:30"', '"2024-02-29T08:45:30.120Z"'],
        ['timestamp', '"2021-11-21T15:34:44.123000+00:00"', '"2021-11-21T15:34:44.123Z"'],
        ['timestamp', '{"$date":0}', '"1970-01-01T00:00:00.000Z"'],
        ['timestamp', '{"$date":-1}', '"1969-12-31T23:59:59.999Z"'],
        ['timestamp', '{"$date":9223372036854775807}', '"+292278994-08-17T07:12:55.807Z"'],
      ],
      refused: [
        ['timestamp', '"2024-02-29T10:15:30"'],
        ['timestamp', '"2024-02-29T10:15Z"'],
        ['timestamp', '"2024-02-29"'],
        ['timestamp', '"2024-02-29 10:15:30Z"'],
        ['timestamp', '"2024-02-29T10:15:30.1234Z"'],
        ['timestamp', '"2023-02-29T10:15:30Z"'],
        ['timestamp', '1709201730000'],
        ['timestamp', '{"$date":"2024-02-29T10:15:30Z"}'],
        ['timestamp', '{"$date":1.5}'],
      ],
    },
  ],
  [
    'date, timestamp years',
    {
      returned: [
        ['date', '"2024-02-29"', '"2024-02-29"'],
        ['date', '"0001-01-01"', '"0001-01-01"'],
        ['date', '"-0001-01-01"', '"-0001-01-01"'],
        ['date', '"+500000-12-31"', '"+500000-12-31"'],
        ['timestamp', '"+12345-01-01T00:00:00Z"', '"+12345-01-01T00:00:00.000Z"'],
        ['timestamp', '"-0044-03-15T12:00:00Z"', '"-0044-03-15T12:00:00.000Z"'],
      ],
      refused: [
        ['date', '"+2000-01-01"'],
        ['date', '"10000-01-01"'],
        ['date', '"999-01-01"'],
        ['timestamp', '"+2000-01-01T00:00:00Z"'],
        ['timestamp', '"12345-01-01T00:00:00Z"'],
      ],
    },
  ],
  [
    'date, timestamp range',
    {
      returned: [
        ['date', '"-5877641-06-23"', '"-5877641-06-23"'],
        ['date', '"+5881580-07-11"', '"+5881580-07-11"'],
        ['timestamp', '{"$date":-9223372036854775808}', '"-292275055-05-16T16:47:04.192Z"'],
      ],
      refused: [
        ['date', '"-5877641-06-22"'],
        ['date', '"+5881580-07-12"'],
        ['date', '20240229'],
        ['timestamp', '{"$date":9223372036854775808}'],
        ['timestamp', '"2024-02-29T24:00:00Z"'],
        ['timestamp', '"2024-02-29T23:59:60Z"'],
      ],
    },
  ],
  [
    'duration',
    {
      returned: [
        ['duration', '"1h30m"', '"PT1H30M"'],
        ['duration', '"-8h10m"', '"-PT8H10M"'],
        ['duration', '"22h1ms"', '"PT22H0.001S"'],
        ['duration', '"1m37us"', '"PT1M0.000037S"'],
        ['duration', '"15mo10d"', '"P1Y3M10D"'],
        ['duration', '"24mo"', '"P2Y"'],
        ['duration', '"1d24h"', '"P1DT24H"'],
        ['duration', '"0mo5d1h"', '"P5DT1H"'],
        ['duration', '"12mo30d"', '"P1Y30D"'],
        ['duration', '"6mo15d0s123ms456us789ns"', '"P6M15DT0.123456789S"'],
        ['duration', '"2W"', '"P14D"'],
        ['duration', '"P1Y2M3DT4H5M6.5S"', '"P1Y2M3DT4H5M6.5S"'],
        ['duration', '"14mo25d18367008009010ns"', '"P1Y2M25DT5H6M7.00800901S"'],
        ['duration', '"0s"', '"PT0S"'],
        ['duration', '"P0Y"', '"PT0S"'],
        ['duration', '"PT1.5000000000S"', '"PT1.5S"'],
        ['duration', '"-P1D"', '"-P1D"'],
      ],
      refused: [
        ['duration', '"P"'],
        ['duration', '"1h1d"'],
        ['duration', '"P1W"'],
        ['duration', '"PT1.5H"'],
        ['duration', '"PT0.0000000001S"'],
        ['duration', '"1.5h"'],
        ['duration', '""'],
        ['duration', '3600'],
      ],
    },
  ],
  [
    'inet',
    {
      returned: [
        ['inet', '"127.0.0.1"', '"127.0.0.1"'],
        ['inet', '"::1"', '"0:0:0:0:0:0:0:1"'],
        ['inet', '"2001:DB8:85A3::8a2e:370:7334"', '"2001:db8:85a3:0:0:8a2e:370:7334"'],
        ['inet', '"::ffff:1.2.3.4"', '"1.2.3.4"'],
      ],
      refused: [
        ['inet', '"localhost"'],
        ['inet', '"example.com"'],
        ['inet', '"1.2.3"'],
        ['inet', '"01.2.3.4"'],
        ['inet', '"fe80::1%eth0"'],
        ['inet', '2130706433'],
      ],
    },
  ],
  [
    'uuid',
    {
      returned: [
        ['uuid', '"F47AC10B-58CC-4372-A567-0E02B2C3D479"', '"f47ac10b-58cc-4372-a567-0e02b2c3d479"'],
        ['uuid', '"00000000-0000-0000-0000-000000000000"', '"00000000-0000-0000-0000-000000000000"'],
        ['uuid', '"13814000-1dd2-11b2-8000-000000000000"', '"13814000-1dd2-11b2-8000-000000000000"'],
      ],
      refused: [
        ['uuid', '"f47ac10b58cc4372a5670e02b2c3d479"'],
        ['uuid', '"1-1-1-1-1"'],
        ['uuid', '"{f47ac10b-58cc-4372-a567-0e02b2c3d479}"'],
        ['uuid', '7'],
        ['uuid', '{"$uuid":"f47ac10b-58cc-4372-a567-0e02b2c3d479"}'],
      ],
    },
  ],
  [
    'integers',
    {
      returned: [
        ['tinyint smallint int bigint varint', '5', '5'],
        ['tinyint smallint int bigint varint', '5.00', '5'],
        ['tinyint smallint int bigint varint', '1.2e1', '12'],
        ['tinyint smallint int bigint varint', '-1.20E+1', '-12'],
        ['tinyint smallint int bigint varint', '-0', '0'],
        ['tinyint', '-128', '-128'],
        ['smallint', '32767', '32767'],
        ['int', '-2147483648', '-2147483648'],
        ['bigint', '9223372036854775807', '9223372036854775807'],
        ['bigint', '-9223372036854775808', '-9223372036854775808'],
        ['varint', '-1234567890123456789012345678901234567890', '-1234567890123456789012345678901234567890'],
        ['varint', '1.2321321321312312321312312321e+28', '12321321321312312321312312321'],
      ],
      refused: [
        ['tinyint smallint int bigint varint', '1.5'],
        ['tinyint smallint int bigint varint', '1e-1'],
        ['tinyint smallint int bigint varint', '"5"'],
        ['tinyint smallint int bigint varint', 'true'],
        ['tinyint', '128'],
        ['smallint', '-32769'],
        ['int', '2147483648'],
        ['bigint', '9223372036854775808'],
      ],
    },
  ],
  [
    'decimal',
    {
      returned: [
        ['decimal', '23', '23'],
        ['decimal', '23.0', '23'],
        ['decimal', '1.10', '1.1'],
        ['decimal', '12.3456789012345678901234567890123456789', '12.3456789012345678901234567890123456789'],
        ['decimal', '1e-50', `0.${'0'.repeat(49)}1`],
        ['decimal', '-1e+50', `-1${'0'.repeat(50)}`],
        ['decimal', '-0.0', '0'],
      ],
      refused: [
        ['decimal', '"NaN"'],
        ['decimal', '"Infinity"'],
        ['decimal', '"1.5"'],
      ],
    },
  ],
  [
    'float',
    {
      returned: [
        ['float', '123.456', '123.456'],
        ['float', '0.1', '0.1'],
        ['float', '16777217', '16777216.0'],
        ['float double', '1', '1.0'],
        ['float double', '-7', '-7.0'],
        ['float', '3.4028234663852886e38', '3.4028235e+38'],
        ['float', '1.5', '1.5'],
      ],
      refused: [['float', '"0.1"']],
    },
  ],
  [
    'float, double',
    {
      returned: [
        ['float double', '"NaN"', '"NaN"'],
        ['float double', '"Infinity"', '"Infinity"'],
        ['float double', '"-Infinity"', '"-Infinity"'],
        ['float double', '-0.0', '-0.0'],
        ['float double', '0', '0.0'],
        ['double', '0.1', '0.1'],
        ['double', '1.7976931348623157e308', '1.7976931348623157e+308'],
        ['double', '1e-400', '0.0'],
      ],
      refused: [
        ['float double', '1e400'],
        ['float double', '"nan"'],
        ['float double', '"+Infinity"'],
        ['float', '1e39'],
        ['double', '1e309'],
        ['double', 'true'],
      ],
    },
  ],
  [
    'text',
    {
      returned: [
        ['text ascii', '""', '""'],
        ['text', '"é😀\\u20ac"', '"é😀€"'],
        ['text ascii', '"a\\u0000b"', '"a\\u0000b"'],
        ['text ascii', '"\\"\\\\\\/\\n\\u007f"', '"\\"\\\\/\\n\u007f"'],
      ],
      refused: [
        ['text', '"\\ud800"'],
        ['text', '"a\\udc00b"'],
        ['ascii', '"\\u0080"'],
        ['ascii', '"é"'],
        ['text ascii', '5'],
        ['text ascii', 'false'],
        ['text ascii', '["a"]'],
        ['text ascii', '{"$binary":"AA=="}'],
      ],
    },
  ],
  [
    'blob',
    {
      returned: [
        ['blob', '{"$binary":""}', '{"$binary":""}'],
        ['blob', '{"$binary":"AAEC/w=="}', '{"$binary":"AAEC/w=="}'],
        ['blob', '{"$binary":"+/+/"}', '{"$binary":"+/+/"}'],
      ],
      refused: [
        ['blob', '{"$binary":"AAEC/w"}'],
        ['blob', '{"$binary":"AAEC_w=="}'],
        ['blob', '{"$binary":"AAE C"}'],
        ['blob', '{"$binary":"AAF"}'],
        ['blob', '{"$binary":5}'],
        ['blob', '{"$binary":"","x":1}'],
        ['blob', '"AAEC"'],
        ['blob', '5'],
      ],
    },
  ],
  [
    'boolean',
    {
      returned: [
        ['boolean', 'true', 'true'],
        ['boolean', 'false', 'false'],
      ],
      refused: [
        ['boolean', '"true"'],
        ['boolean', '1'],
      ],
    },
  ],
];

for (const [row, { returned = [], refused = [] }] of formats) {
  describe(`the forms of ${row}`, () => {
    for (const [of, literal, expected] of returned) {
      for (const type of of.split(' ')) {
        it(`${row}: ${type} takes ${literal} and gives ${expected}`, () => returns(type, literal, expected));
      }
    }
    for (const [of, literal] of refused) {
      for (const type of of.split(' ')) {
        it(`${row}: ${type} refuses ${literal}`, () => refuses(type, literal));
      }
    }
  });
}

describe('filters on blobs and uuids', () => {
  const warning = '"warnings":[<REQUEST WARNING MISSING_INDEX: Filter without an index>]';

  it('blob: filters work, plain, in `$eq`, `$ne` and `$in`', async () => {
    const table = at('/v1/default_keyspace/t_blob');
    const one = '{"insertOne":{"document":{"id":9,"v":{"$binary":"CQ=="}}}}';
    await table(one, '{"status":{"insertedIds":[[9]],"primaryKeySchema":{"id":{"type":"int"}}}}');
    const found = `{"data":{"document":{"id":9}},"status":{"projectionSchema":{"id":{"type":"int"}},${warning}}}`;
    for (const filter of ['{"$binary":"CQ=="}', '{"$eq":{"$binary":"CQ=="}}', '{"$ne":{"$binary":"CA=="}}']) {
      await table(`{"findOne":{"filter":{"id":9,"v":${filter}},"projection":{"id":1}}}`, found);
    }
    await table(
      '{"findOne":{"filter":{"id":9,"v":{"$in":[{"$binary":"CQ=="}]}},"projection":{"id":1}}}',
      found,
    );
    await table('{"findOne":{"filter":{"id":9,"v":{"$gt":{"$binary":""}}},"projection":{"id":1}}}', found);
  });

  it('values written as {"$uuid":…} are their strings in a filter', async () => {
    const table = at('/v1/default_keyspace/t_uuid');
    const uuid = '"f47ac10b-58cc-4372-a567-0e02b2c3d479"';
    await table(
      `{"insertOne":{"document":{"id":9,"v":${uuid}}}}`,
      '{"status":{"insertedIds":[[9]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    await table(
      `{"findOne":{"filter":{"id":9,"v":{"$uuid":${uuid}}},"projection":{"id":1}}}`,
      `{"data":{"document":{"id":9}},"status":{"projectionSchema":{"id":{"type":"int"}},${warning}}}`,
    );
  });

  it('float, double: −0 is below 0, NaN greatest and equal to itself', async () => {
    const table = at('/v1/default_keyspace/t_double');
    const rows = ['-0.0', '0', '"NaN"', '"Infinity"'].map((v, place) => `{"id":${place + 20},"v":${v}}`);
    await table(
      `{"insertMany":{"documents":[${rows}]}}`,
      '{"status":{"insertedIds":[[20],[21],[22],[23]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    const cases = [
      ['{"$lt":0}', '{"v":-0.0}'],
      ['{"$gt":-0.0,"$lt":1}', '{"v":0.0}'],
      ['0', '{"v":0.0}'],
      ['-0.0', '{"v":-0.0}'],
      ['"NaN"', '{"v":"NaN"}'],
      ['{"$gt":"Infinity"}', '{"v":"NaN"}'],
    ] as const;
    for (const [filter, document] of cases) {
      await table(
        `{"find":{"filter":{"id":{"$in":[20,21,22,23]},"v":${filter}},"projection":{"v":1}}}`,
        `{"data":{"documents":[${document}],"nextPageState":null},
          "status":{"projectionSchema":{"v":{"type":"double"}},${warning}}}`,
      );
    }
  });
});
