// Checks which environment variables other programs get.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentName, optionList } from '../config/options.js';
import { cleanEnvironment } from './clean-environment.js';

describe('the environment of other programs', () => {
  it('has what they need to run', () => {
    const needed = {
      PATH: '/bin',
      HOME: '/h',
      LC_ALL: 'C',
      JAVA_HOME: '/java',
      CASSANDRA_HOME: '/cassandra',
      SystemRoot: 'C:\\Windows',
      Path: 'C:\\',
    };
    assert.deepEqual(cleanEnvironment(needed), needed);
  });

  it('has no option of this server and no secret of others', () => {
    const ours = optionList.map((option) => [environmentName(option), 'secret']);
    const others = ['NODE_OPTIONS', 'OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'MY_PATH', '__proto__'];
    const all = Object.fromEntries([...ours, ...others.map((name) => [name, 'secret'])]);
    assert.deepEqual(cleanEnvironment(all), {});
  });
});
