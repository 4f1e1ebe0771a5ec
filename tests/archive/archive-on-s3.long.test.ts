// The commands of archives with an object store of another project, which fails meanwhile. `.ci/run` installs it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openStore } from '../../src/archive/stores/archive-address.js';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { move } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { seededRandom } from '../seeded-random.js';
import { ArchiveMaker } from './archive-maker.js';
import { type FaultyProxy, openFaultyProxy, type ProxyFault } from './faulty-proxy.js';
import { gatewayProgram, type S3Gateway, startS3Gateway } from './s3-gateway.js';

const skip = gatewayProgram === undefined && 'there is no object store: S3_GATEWAY is not set';

describe('an archive in an object store', { skip }, () => {
  let gateway: S3Gateway;
  let proxy: FaultyProxy;

  before(async () => {
    gateway = await startS3Gateway(gatewayProgram ?? '');
    proxy = await openFaultyProxy(gateway.url, seededRandom(1));
    const source = join(makeTemporaryDirectory(), 'data.db');
    const database = openDatabase({ path: source, journalMode: 'delete' });
    const { bucket, url: endpoint, region, accessKey, secretKey } = gateway;
    const address = { archive: `s3://${bucket}/a`, endpoint, region, accessKey, secretKey };
    const store = await openStore(address, { send: sendRequest, clock: systemClock, random: () => 'x' });
    const maker = new ArchiveMaker(store, 1);
    await maker.begin(1);
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, content BLOB)');
    await maker.ship('data', source, 2);
    await maker.copy('data', source, 2);
    for (let count = 3; count < 20; count += 1) {
      database.exec('INSERT INTO t (content) VALUES (randomblob(3000))');
      await maker.ship('data', source, count);
    }
    database.close();
  });
  after(async () => {
    await proxy.close();
    await gateway.stop();
  });

  const argsOf = (bucket = gateway.bucket, secretKey = gateway.secretKey) => [
    `s3://${bucket}/a`,
    ...['--archive-endpoint', proxy.url, '--archive-region', gateway.region],
    ...['--archive-access-key', gateway.accessKey, '--archive-secret-key', secretKey],
  ];

  it('is listed and verified', async () => {
    assert.match((await move(['archives', ...argsOf()])).stdout, /\(1 copy, up to piece 18\)/);
    assert.match(
      (await move(['check', ...argsOf()])).stdout,
      /1 copy, 17 pieces checked: no damage found\n$/,
    );
  });

  it('is read while some of the requests fail', async () => {
    // Requests are sent four times.
    const some = { share: 0.3, mostInARow: 3 } as const;
    const faults: readonly ProxyFault[] = [
      { kind: 'slow', delayMs: 50, ...some },
      { kind: 'status', status: 503, ...some },
      { kind: 'cutReply', ...some },
      { kind: 'lostReply', ...some },
    ];
    for (const fault of faults) {
      await proxy.setFault(fault);
      const { stdout } = await move(['check', ...argsOf()]);
      assert.match(stdout, /no damage found\n$/, fault.kind);
    }
    await proxy.setFault(undefined);
    assert.ok(proxy.faultCount() > 10);
  });

  it('is refused with the reason', async () => {
    for (const [args, problem] of [
      [argsOf('nothing'), /it answers 404 \(NoSuchBucket/],
      [argsOf(undefined, 'wrong'), /it answers 403 \(SignatureDoesNotMatch/],
    ] as const) {
      const { stderr } = await move(['archives', ...args], 1);
      assert.match(stderr, problem);
    }
    await proxy.setFault({ kind: 'refused' });
    const { stderr } = await move(['archives', ...argsOf()], 1);
    assert.match(stderr, /ECONNREFUSED/);
    await proxy.setFault(undefined);
  });
});
