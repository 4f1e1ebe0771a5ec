// The channel `snmp`: traps and informs at a receiver, its MIB, and Debian's snmptrapd where there is one.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import snmp from 'net-snmp';
import { createAddressPolicy } from '../../src/foundation/http/address-policy.js';
import { createResolveAddress } from '../../src/foundation/http/checked-lookup.js';
import { validated } from '../../src/ops-service/errors/validation.js';
import type { ChannelSettings, Delivery } from '../../src/ops-service/notifications/channel.js';
import { snmpKind } from '../../src/ops-service/notifications/channels/snmp.js';
import { enterprise, noticeVarbinds } from '../../src/ops-service/notifications/channels/snmp-objects.js';
import type { Notice } from '../../src/ops-service/notifications/notice.js';
import { eventNotice, firingNotice, resolvedNotice } from './channel-notices.js';
import { type ChannelCase, describeChannel } from './describe-channel.js';
import { startSnmpReceiver } from './snmp-receiver.js';

const check: ChannelCase['check'] = ({ id, text }, notice) => {
  assert.equal(id, notice.id);
  const number = { firing: 1, resolved: 2, event: 3 }[notice.status];
  assert.match(text, new RegExp(`^notification 1.3.6.1.4.1.32473.8888.0.${number}$`, 'm'));
  assert.match(text, new RegExp(`^1.0 ${notice.event.level}$`, 'm'));
  assert.ok(text.includes(`3.0 ${notice.event.message}`));
  assert.ok(text.includes(`20.0 ${notice.alert?.table ?? ''}`));
  assert.ok(text.includes(`23.0 ${notice.rule?.name ?? ''}`));
  assert.ok(text.includes(`24.0 ${notice.url ?? ''}`));
  const annotations = Object.entries(notice.rule?.annotations ?? {});
  for (const [at, [name, value]] of annotations.entries())
    assert.ok(text.includes(`annotation ${at + 1} ${name}: ${value}`), name);
};

describeChannel({
  name: 'snmp (3)',
  takesEvents: true,
  check,
  start: () => startSnmpReceiver('3'),
  without: ['busy', 'refuse', 'cut', 'lie'],
  cannotTellArrival: true,
});

async function deliver(
  settings: Readonly<Record<string, unknown>>,
  notice: Notice,
  timeoutMs = 30_000,
): Promise<Delivery> {
  const channel = snmpKind.open(validated(snmpKind.schema, settings) as ChannelSettings, {
    sendRequest: () => Promise.reject(new Error('no HTTP')),
    connect: () => Promise.reject(new Error('no TCP')),
    resolve: createResolveAddress(createAddressPolicy({ deny: [], allow: [] })),
    timeoutMs,
    nowMs: Date.now,
  });
  return channel.deliver([notice], notice.id, new AbortController().signal);
}

describe('traps', () => {
  for (const version of ['1', '2c'] as const) {
    it(`of version ${version} arrive, and say that nobody acknowledges them`, async () => {
      const receiver = await startSnmpReceiver(version);
      try {
        for (const notice of [firingNotice, resolvedNotice, eventNotice]) {
          const count = receiver.received.length;
          const delivery = await deliver(receiver.settings, notice);
          assert.deepEqual(delivery, { kind: 'sent', note: 'a trap is not acknowledged' });
          while (receiver.received.length === count) await pause();
          const message = receiver.received.at(-1);
          assert.ok(message !== undefined);
          check(message, notice);
        }
        assert.deepEqual(receiver.faults, []);
      } finally {
        await receiver.close();
      }
    });
  }
});

describe('informs', () => {
  it('fail for an unknown user or a wrong key, without showing it', async () => {
    const receiver = await startSnmpReceiver('3');
    try {
      for (const change of [{ username: 'bob' }, { auth_key: 'another-secret-key' }]) {
        const delivery = await deliver({ ...receiver.settings, ...change }, firingNotice, 2000);
        assert.notEqual(delivery.kind, 'sent');
        assert.doesNotMatch(JSON.stringify(delivery), /secret/);
      }
      assert.deepEqual(receiver.received, []);
    } finally {
      await receiver.close();
    }
  });
});

describe('the settings', () => {
  const common = { type: 'snmp', host: 'h' };
  const v3 = { username: 'ann', auth_key: 'long enough' };
  for (const [settings, isFine] of [
    [{ ...common, ...v3 }, true],
    [{ ...common, ...v3, privacy_key: 'long enough' }, true],
    [{ ...common, version: '2c', community: 'c' }, true],
    [{ ...common, version: '1', community: 'c' }, true],
    [common, false],
    [{ ...common, version: '2c' }, false],
    [{ ...common, ...v3, community: 'c' }, false],
    [{ ...common, version: '2c', community: 'c', privacy_key: 'long enough' }, false],
    [{ ...common, username: 'ann' }, false],
    [{ ...common, username: 'ann', auth_key: 'short' }, false],
    [{ ...common, ...v3, auth_protocol: 'md5' }, false],
    [{ ...common, ...v3, privacy_protocol: 'des' }, false],
  ] as const) {
    it(`${isFine ? 'are' : 'are not'} ${JSON.stringify(settings)}`, () => {
      if (isFine) validated(snmpKind.schema, settings);
      else assert.throws(() => validated(snmpKind.schema, settings), { refusal: 'BadRequest' });
    });
  }
});

const objects = '.1.3.6.1.4.1.32473.8888.1';
const mib = fileURLToPath(new URL('../../../docs/COLONNADE-MIB.txt', import.meta.url));

describe('the MIB', () => {
  it('is read by a compiler, and names every object that is sent', () => {
    const store = snmp.createModuleStore();
    store.loadFromFile(mib);
    const module: Readonly<Record<string, { ObjectName: string; OID: string }>> = store.getModule(
      'COLONNADE-MIB',
      true,
    );
    const names = new Map(Object.values(module).map(({ ObjectName, OID }) => [OID, ObjectName]));
    for (const { oid } of noticeVarbinds(firingNotice)) {
      // The last number is 0, or the row of a table.
      assert.match(names.get(oid.replace(/\.\d+$/, '')) ?? '', /^colonnade[A-Z]/, oid);
    }
    const of = (notification: number) => names.get(`${enterprise}.0.${notification}`);
    assert.deepEqual([1, 2, 3].map(of), ['colonnadeAlertFiring', 'colonnadeAlertResolved', 'colonnadeEvent']);
  });
});

/** The daemon: given by name or path, because tests do not install programs. */
const daemon = process.env['SNMPTRAPD'];

describe("Debian's snmptrapd", { skip: daemon === undefined && 'SNMPTRAPD names no daemon' }, () => {
  for (const [version, settings] of [
    ['1', { version: '1', community: 'pub' }],
    ['2c', { version: '2c', community: 'pub' }],
    ['3', { username: 'ann', auth_key: 'authauthauth', privacy_key: 'privprivpriv' }],
  ] as const) {
    it(`takes notices of version ${version}`, async () => {
      await withDaemon(async (port, output) => {
        const delivery = await deliver({ type: 'snmp', host: '127.0.0.1', port, ...settings }, firingNotice);
        assert.equal(delivery.kind, 'sent', JSON.stringify(delivery));
        const value = (number: number, shown: string) => `${objects}.${number}.0 = ${shown}`;
        const last = value(22, 'STRING: "93.25"');
        while (!output().includes(last)) await pause();
        assert.match(
          output(),
          version === '1'
            ? /32473\.8888 Enterprise Specific Trap \(1\)/
            : /OID: \.1\.3\.6\.1\.4\.1\.32473\.8888\.0\.1/,
        );
        for (const line of [
          value(1, 'INTEGER: 3'),
          value(3, `STRING: "${firingNotice.event.message}"`),
          value(15, `STRING: "${firingNotice.id}"`),
          value(20, 'STRING: "shop.orders"'),
        ]) {
          assert.ok(output().includes(line), `${line} in\n${output()}`);
        }
      });
    });
  }

  it('acknowledges informs of version 3, but none under a wrong key', async () => {
    await withDaemon(async (port) => {
      const settings = {
        type: 'snmp',
        host: '127.0.0.1',
        port,
        username: 'ann',
        auth_key: 'authauthauth',
        privacy_key: 'privprivpriv',
      };
      assert.equal((await deliver(settings, firingNotice)).kind, 'sent');
      assert.notEqual(
        (await deliver({ ...settings, privacy_key: 'anotherkey1' }, firingNotice, 2000)).kind,
        'sent',
      );
    });
  });
});

async function withDaemon(work: (port: number, output: () => string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-snmp-'));
  const port = await freePort();
  writeFileSync(
    join(directory, 'trapd.conf'),
    'authCommunity log pub\ncreateUser ann SHA-256 authauthauth AES privprivpriv\nauthUser log ann priv\n',
  );
  let output = '';
  const options = ['-f', '-Lo', '-On', '-m', '', '-C', '-c', 'trapd.conf', `udp:127.0.0.1:${port}`];
  const child: ChildProcess = spawn(daemon ?? '', options, {
    cwd: directory,
    env: { ...process.env, SNMP_PERSISTENT_DIR: directory },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    while (!output.includes('NET-SNMP version')) {
      if (child.exitCode !== null) throw new Error(`the daemon ended:\n${output}`);
      await pause();
    }
    await work(port, () => output);
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
