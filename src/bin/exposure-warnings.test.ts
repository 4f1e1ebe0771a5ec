// Which configurations the log warns of at the start.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ExposedConfig, exposureWarnings } from './exposure-warnings.js';

const long = 'a'.repeat(16);
const closed: ExposedConfig = {
  host: '127.0.0.1',
  opsHost: '::1',
  token: 't',
  metricsToken: 't',
  opsPassword: 'p',
  archiveEndpoint: 'http://127.0.0.1:9000',
};

function optionsOf(changes: Partial<ExposedConfig>, hasTls = false): readonly (string | undefined)[] {
  return exposureWarnings({ ...closed, ...changes }, hasTls).map((text) => /--[a-z-]+/.exec(text)?.[0]);
}

describe('the warnings about what others reach', () => {
  it('are none on loopback addresses, or with TLS and long secrets', () => {
    assert.deepEqual(optionsOf({}), []);
    const secrets = { token: long, metricsToken: long, opsPassword: long, archiveEndpoint: 'https://store' };
    assert.deepEqual(optionsOf({ host: '0.0.0.0', opsHost: '::', ...secrets }, true), []);
  });

  it('name what crosses the network unencrypted', () => {
    assert.deepEqual(optionsOf({ host: '0.0.0.0', token: long }), ['--host']);
    assert.deepEqual(optionsOf({ opsHost: '10.0.0.1', metricsToken: long, opsPassword: long }), [
      '--ops-host',
    ]);
    for (const archiveEndpoint of ['http://store:9000', 'http://[fd00::1]:9000'])
      assert.deepEqual(optionsOf({ archiveEndpoint }, true), ['--archive-endpoint']);
    assert.deepEqual(optionsOf({ archiveEndpoint: 'http://[::1]:9000' }, true), []);
  });

  it('name what can be guessed', () => {
    assert.deepEqual(optionsOf({ host: '0.0.0.0' }, true), ['--token']);
    assert.deepEqual(optionsOf({ opsHost: '0.0.0.0' }, true), ['--metrics-token', '--ops-password']);
    assert.deepEqual(optionsOf({ host: '0.0.0.0', token: undefined }, true), []);
  });
});
