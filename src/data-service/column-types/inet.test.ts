// Parsing and serialization of addresses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inet } from './inet.js';

describe('inet', () => {
  it('writes IPv4 dotted and IPv6 in full', () => {
    const pairs = {
      '127.0.0.1': '127.0.0.1',
      '::': '0:0:0:0:0:0:0:0',
      '::1': '0:0:0:0:0:0:0:1',
      '1::': '1:0:0:0:0:0:0:0',
      '2001:0DB8:85A3::8A2E:0370:7334': '2001:db8:85a3:0:0:8a2e:370:7334',
      '1:2:3:4:5:6:7::': '1:2:3:4:5:6:7:0',
      '::2:3:4:5:6:7:8': '0:2:3:4:5:6:7:8',
      '64:ff9b::192.0.2.33': '64:ff9b:0:0:0:0:c000:221',
      '1:2:3:4:5:6:1.2.3.4': '1:2:3:4:5:6:102:304',
    };
    for (const [text, written] of Object.entries(pairs)) {
      assert.equal(inet.serialize(inet.parse(text)), `"${written}"`, text);
    }
  });

  it('reads a mapped IPv4 address as that address, however it is written', () => {
    for (const text of ['::ffff:1.2.3.4', '::FFFF:102:304', '0:0:0:0:0:ffff:1.2.3.4']) {
      assert.equal(inet.serialize(inet.parse(text)), '"1.2.3.4"');
    }
    assert.equal(inet.serialize(inet.parse('::1.2.3.4')), '"0:0:0:0:0:0:102:304"');
  });

  it('takes the bytes of the driver’s address, not its text', () => {
    const address = {
      buffer: Buffer.from('00010000000000020000000000030000', 'hex'),
      toString: () => 'wrong',
    };
    assert.equal(inet.serialize(inet.cql.fromDriver(address)), '"1:0:0:2:0:0:3:0"');
    assert.equal(inet.serialize(inet.cql.fromDriver(Buffer.from([1, 2, 3, 4]))), '"1.2.3.4"');
  });

  it('never looks a name up', () => {
    assert.throws(
      () => inet.parse('localhost'),
      /^Error: "localhost" is not a literal IPv4 or IPv6 address$/,
    );
  });
});
