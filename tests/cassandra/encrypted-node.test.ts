// Encrypted connections to a real node that asks for certificates of clients.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { CqlTls } from '../../src/foundation/cassandra/cql-session.js';
import { openCqlSession } from '../../src/foundation/cassandra/open-cql-session.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { waitFor } from '../acceptance/ops-client.js';
import { makeCertificate } from '../make-certificate.js';
import { post, startOnCluster } from './cluster-server.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('a node that encrypts and asks for certificates', { skip: cassandraSkipReason() }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-certificates-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const file = (name: string, content: string) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const [node, client, stranger] = ['node', 'client', 'stranger'].map((name) => makeCertificate(name));
  assert.ok(node !== undefined && client !== undefined && stranger !== undefined);
  const tls = {
    identity: file('node.pem', node.key + node.cert),
    clientAuthorities: file('clients.pem', client.cert),
  };
  const cluster = useCassandra({ nodeCount: 1, security: { tls } });
  const nodeOf = () => {
    const [only] = cluster().nodes;
    assert.ok(only !== undefined);
    return only;
  };
  const right: CqlTls = {
    authorities: node.cert,
    certificate: client.cert,
    key: client.key,
    checksHosts: true,
  };
  const connect = async (changes: Partial<CqlTls>) => {
    const session = await openCqlSession({
      contactPoints: ['127.0.0.1'],
      port: nodeOf().place.nativePort,
      localDataCenter: 'datacenter1',
      timeoutMs: 20_000,
      tls: { ...right, ...changes },
    });
    try {
      await session.connected();
      const { rows } = await session.run({
        cql: 'SELECT cluster_name FROM system.local',
        values: [],
        isIdempotent: true,
        consistency: 'LOCAL_ONE',
      });
      return String(rows[0]?.[0]);
    } finally {
      await session.close();
    }
  };
  const refuses = (changes: Partial<CqlTls>, reason: RegExp) =>
    assert.rejects(connect(changes), (error) => {
      assert.ok(error instanceof CassandraFailure, String(error));
      assert.match(error.message, reason);
      return true;
    });

  it('is used with the authority of its certificate and a certificate that it trusts', async () => {
    assert.equal(await connect({}), 'colonnade-tests');
  });

  it('is not used with another authority, or with those of the system', async () => {
    await refuses({ authorities: stranger.cert }, /self.signed|unable to verify/i);
    await refuses({ authorities: undefined }, /self.signed|unable to verify/i);
  });

  it('refuses a client without a certificate, or with one that it does not trust', async () => {
    const alert = /alert|certificate|closed|reset|hang up|destroyed/i;
    await refuses({ certificate: undefined, key: undefined }, alert);
    await refuses({ certificate: stranger.cert, key: stranger.key }, alert);
  });

  it('is used by a server with the options for TLS', async () => {
    const files = {
      ca: file('ca.pem', node.cert),
      cert: file('client-cert.pem', client.cert),
      key: file('client-key.pem', client.key),
    };
    const own = ['--cassandra-tls-cert', files.cert, '--cassandra-tls-key', files.key];
    const args = ['--cassandra-tls', 'yes', '--cassandra-tls-ca', files.ca, ...own];
    const server = await startOnCluster(nodeOf().place.nativePort, { args });
    try {
      await waitFor('the cluster', async () => (await fetch(`${server.url}/health/ready`)).status === 200);
      assert.match((await post(`${server.url}/v1`, { createKeyspace: { name: 'k' } })).text, /"ok":1/);
      assert.ok(!server.stderr().includes('PRIVATE KEY'));
    } finally {
      await server.stop();
    }
  });

  it('must have a certificate with its address, unless any host will do', async () => {
    const elsewhere = makeCertificate('node', 'ec', '127.0.0.9');
    await nodeOf().stop();
    writeFileSync(tls.identity, elsewhere.key + elsewhere.cert);
    await nodeOf().restart();
    await refuses({ authorities: elsewhere.cert }, /127\.0\.0\.1 is not in the cert's list/);
    assert.equal(await connect({ authorities: elsewhere.cert, checksHosts: false }), 'colonnade-tests');
    await refuses({ authorities: node.cert, checksHosts: false }, /self.signed|unable to verify/i);
  });
});
