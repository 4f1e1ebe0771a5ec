// Checks the four sources and the messages about mistakes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigProblems, loadConfig, programEnvironment } from './load-config.js';
import { environmentName, optionList } from './options.js';

function load(
  args: readonly string[],
  environment: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  return loadConfig(args, {
    environment,
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error('no such file');
      return text;
    },
  });
}

function problemsOf(...given: Parameters<typeof load>): readonly string[] {
  try {
    load(...given);
  } catch (error) {
    assert.ok(error instanceof ConfigProblems, String(error));
    for (const problem of error.problems) assert.ok(error.message.includes(problem));
    return error.problems;
  }
  throw new Error('no problem was found');
}

describe('the table of options', () => {
  it('names every member as its option', () => {
    for (const { key, name } of optionList) {
      assert.equal(
        name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
        key,
      );
    }
  });

  it('has defaults that the kinds accept', () => {
    for (const { name, kind, default: value } of optionList) {
      if (value === undefined || Array.isArray(value)) continue;
      const text = kind.jsonForm === 'json' ? JSON.stringify(value) : String(value);
      assert.deepEqual(kind.parse(text), value, name);
    }
  });

  it('takes programs and places of nodes as JSON', () => {
    const { nodetool, nodetoolNodes } = load([
      '--nodetool=["nodetool", "-h", "{host}", "-p", "{port}"]',
      '--nodetool-nodes={"10.0.0.1": "127.0.0.1:7199", "[::1]": "jmx.example:1"}',
    ]);
    assert.deepEqual(nodetool, ['nodetool', '-h', '{host}', '-p', '{port}']);
    assert.deepEqual(nodetoolNodes, {
      '10.0.0.1': { host: '127.0.0.1', port: 7199 },
      '::1': { host: 'jmx.example', port: 1 },
    });
    for (const bad of [
      '--nodetool=nodetool',
      '--nodetool=[]',
      '--nodetool=[1]',
      '--nodetool-nodes={"a":"b"}',
    ]) {
      assert.throws(() => load([bad]), /must be a JSON/);
    }
  });

  it('names environment variables in upper case', () => {
    assert.equal(environmentName({ name: 'data-dir' }), 'COLONNADE_DATA_DIR');
  });
});

describe('loadConfig', () => {
  it('has a default for everything that needs one', () => {
    const config = load([]);
    assert.deepEqual(
      [config.dataDir, config.host, config.port, config.opsHost, config.opsPort, config.token],
      ['./colonnade-data', '127.0.0.1', 8181, '127.0.0.1', 8888, undefined],
    );
    assert.deepEqual([config.engine, config.dialect, config.allowedHosts], ['embedded', 'strict', []]);
  });

  it('prefers option over environment over file over default', () => {
    const files = { 'c.json': '{"port": 3, "opsPort": 3, "data-dir": "file", "allowedHosts": ["a", "b"]}' };
    const environment = {
      COLONNADE_PORT: '2',
      COLONNADE_OPS_PORT: '4',
      COLONNADE_CONFIG: 'c.json',
      PATH: '/bin',
    };
    const config = load(['--port', '1'], environment, files);
    assert.deepEqual([config.port, config.opsPort, config.dataDir], [1, 4, 'file']);
    assert.deepEqual(config.allowedHosts, ['a', 'b']);
    assert.equal(config.requestTimeoutSeconds, 60);
    assert.equal(
      load(['--config', 'other.json'], environment, { 'other.json': '{"dataDir":"x"}' }).dataDir,
      'x',
    );
  });

  it('reads --name value and --name=value, values with a dash only the second way', () => {
    assert.equal(load(['--data-dir=a=b']).dataDir, 'a=b');
    assert.equal(load(['--token=-x']).token, '-x');
    assert.match(problemsOf(['--data-dir', '--port', '1'])[0] ?? '', /--data-dir needs a value/);
    for (const secret of ['-SECRET', '--SECRET-of-nobody', '-SEC-RET-x', '-a=SECRET']) {
      const problems = problemsOf(['--token', secret, '--prot', '1']);
      assert.equal(problems.length, 2, problems.join('\n'));
      const [missing, misspelt] = problems;
      assert.match(missing ?? '', /^--token needs a value; .*with a dash is written --token=VALUE$/);
      assert.equal(misspelt, '--prot is not an option; did you mean --port?');
    }
  });

  it('takes IPv6 hosts with or without brackets', () => {
    assert.equal(load(['--host', '::1']).host, '::1');
    assert.equal(load(['--host', '[::1]']).host, '::1');
    assert.deepEqual(load(['--allowed-hosts', 'Ops.Example.com, [::2]']).allowedHosts, [
      'ops.example.com',
      '::2',
    ]);
  });

  it('takes the address of the console with a path, and nothing that a link would not survive', () => {
    for (const [given, expected] of [
      ['https://ops.example.org', 'https://ops.example.org'],
      ['http://OPS.example.org:8888/', 'http://ops.example.org:8888'],
      ['https://example.org/tools/colonnade/', 'https://example.org/tools/colonnade'],
    ] as const)
      assert.equal(load(['--console-url', given]).consoleUrl, expected);
    for (const given of ['ops.example.org', 'ftp://a', 'https://u:p@a', 'https://a/?b', 'https://a/#/alerts'])
      assert.match(
        problemsOf(['--console-url', given])[0] ?? '',
        /^--console-url is .*an http or https address/,
      );
    assert.equal(load([]).consoleUrl, undefined);
  });

  it('reports all problems at once, each with its value and what is wanted', () => {
    const problems = problemsOf(
      [
        '--port',
        '99999',
        '--prot',
        '1',
        'stray',
        '--dialect',
        'loose',
        '--log-level=',
        '--engine',
        'embedded',
        '--engine=x',
      ],
      { COLONNADE_OPS_PORT: 'many', COLONNADE_PROT: '1', COLONNADE_CONFIG: 'c.json', COLONNADE_HOST: 'a b' },
      {
        'c.json':
          '{"requestTimeoutSeconds": 0.5, "extra": 1, "dataDir": 7, "data-dir": "x", "dialect": "strict"}',
      },
    );
    assert.deepEqual(problems, [
      '--prot is not an option; did you mean --port?',
      '"stray" is not an option: options begin with --',
      '--engine is set more than once',
      'the environment variable COLONNADE_PROT is not an option; did you mean COLONNADE_PORT?',
      '"extra" in c.json is not an option',
      '"dataDir" in c.json must be a JSON string: a text that is not empty',
      'the environment variable COLONNADE_HOST is "a b"; it must be an IP address or a host name, without a port',
      '--port is "99999"; it must be an integer from 0 to 65535',
      'the environment variable COLONNADE_OPS_PORT is "many"; it must be an integer from 0 to 65535',
      '--dialect is "loose"; it must be one of strict, extended',
      '--log-level is empty; it must be one of trace, debug, info, warn, error, fatal, silent',
      '"requestTimeoutSeconds" in c.json is "0.5"; it must be an integer from 1 to 3600',
    ]);
  });

  it('ignores what Kubernetes adds to the environment for a service of this name', () => {
    const address = 'tcp://10.0.0.1:8181';
    const ofPort = 'COLONNADE_PORT_8181_TCP';
    const added = {
      ...{
        COLONNADE_SERVICE_HOST: '10.0.0.1',
        COLONNADE_SERVICE_PORT: '8181',
        COLONNADE_SERVICE_PORT_DATA: '1',
      },
      ...{
        COLONNADE_PORT: address,
        [ofPort]: address,
        [`${ofPort}_PROTO`]: 'tcp',
        [`${ofPort}_PORT`]: '8181',
      },
      ...{ [`${ofPort}_ADDR`]: '10.0.0.1', COLONNADE_OPS_PORT: 'tcp://10.0.0.2:8888' },
    };
    const config = load([], { ...added, COLONNADE_DATA_DIR: 'd' });
    assert.deepEqual([config.dataDir, config.port, config.opsPort], ['d', 8181, 8888]);
    assert.equal(problemsOf([], { COLONNADE_PORT: 'http://10.0.0.1:8181' }).length, 1);
  });

  it('refuses both spellings of one member, and a config file that names another', () => {
    const problems = problemsOf(['--config', 'c'], {}, { c: '{"dataDir":"a","data-dir":"b","config":"d"}' });
    assert.deepEqual(problems, [
      '"data-dir" in c is set twice: as dataDir and data-dir',
      '"config" in c cannot be set in a config file',
    ]);
  });

  it('names the option that a misspelled member probably means', () => {
    assert.deepEqual(
      problemsOf(['--config', 'c'], {}, { c: '{"prot": 1, "ops_port": 2, "ops": {"hots": 3}}' }),
      [
        '"prot" in c is not an option; did you mean "port"?',
        '"ops_port" in c is not an option; did you mean "opsPort"?',
        '"ops.hots" in c is not an option; did you mean "ops-host"?',
      ],
    );
  });

  it('says what is wrong with the config file itself', () => {
    assert.match(
      problemsOf(['--config', 'none'])[0] ?? '',
      /--config names none, which cannot be read: no such file/,
    );
    assert.match(problemsOf(['--config', 'c'], {}, { c: '{' })[0] ?? '', /^c is not JSON: /);
    assert.match(problemsOf(['--config', 'c'], {}, { c: '[]' })[0] ?? '', /one JSON object/);
    assert.match(problemsOf(['--config='])[0] ?? '', /--config is empty/);
  });

  it('never shows a secret', () => {
    const problems = problemsOf(
      ['--token', 'SECRET one', '--metrics-token=SECRETé', '--tokn', 'SECRET'],
      { COLONNADE_TOKEN: 'SECRET\n', COLONNADE_CONFIG: 'c' },
      { c: '{"token": "SECRET \\u0000", "metricsToken": 1}' },
    );
    assert.equal(problems.length, 6);
    assert.doesNotMatch(problems.join('\n'), /SECRET/);
  });

  it('refuses a public address without a token, and any public address of the operations port', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'example.com']) {
      assert.match(problemsOf(['--host', host])[0] ?? '', /there is no --token: set one/);
      assert.equal(load(['--host', host, '--token', 't']).host, host);
      assert.match(problemsOf(['--ops-host', host, '--token', 't'])[0] ?? '', /^--ops-host is /);
    }
    assert.equal(load(['--host', 'localhost', '--ops-host', '127.0.0.9']).host, 'localhost');
  });

  it('reports contradictions together with bad values, but none that a bad value causes', () => {
    assert.equal(problemsOf(['--host', '0.0.0.0', '--port', 'x']).length, 2);
    assert.equal(problemsOf(['--host', '0.0.0.0', '--token', 'a b']).length, 1);
  });

  it('requires users of a cluster only, and then takes a public address without a token', () => {
    const cluster = [
      '--engine=cassandra',
      '--cassandra-contact-points=10.0.0.1',
      '--cassandra-local-datacenter=dc1',
    ];
    const required = '--cassandra-require-user=yes';
    assert.match(problemsOf([required])[0] ?? '', /--engine is "embedded", which has no users/);
    assert.equal(load([...cluster, required, '--host=0.0.0.0']).cassandraRequireUser, 'yes');
    assert.match(problemsOf([...cluster, '--host=0.0.0.0'])[0] ?? '', /there is no --token/);
  });

  it('takes contact points with a port, IPv6 in brackets, and refuses other texts', () => {
    const pointsOf = (points: string) =>
      load(['--engine=cassandra', `--cassandra-contact-points=${points}`, '--cassandra-local-datacenter=dc1'])
        .cassandraContactPoints;
    assert.deepEqual(pointsOf('10.0.0.1:9043, Node.example, node:09042, [::1]:1, ::1, [FE80::2]'), [
      '10.0.0.1:9043',
      'node.example',
      'node:9042',
      '[::1]:1',
      '::1',
      'fe80::2',
    ]);
    for (const wrong of ['a:0', 'a:65536', 'a:', ':9042', 'a:b', 'a:1:2', 'http://a:1', '10.0.0:1', 'a,,b'])
      assert.throws(
        () => pointsOf(wrong),
        /--cassandra-contact-points is ".*"; it must be IP addresses or host names.*10\.0\.0\.1:9042 or \[::1\]:9042/,
        wrong,
      );
  });

  it('refuses files for encrypted connections to nodes that are not encrypted', () => {
    const cluster = [
      '--engine=cassandra',
      '--cassandra-contact-points=a',
      '--cassandra-local-datacenter=dc1',
    ];
    const files = ['--cassandra-tls-ca=ca.pem'];
    const pair = ['--cassandra-tls-cert=c.pem', '--cassandra-tls-key=k.pem'];
    for (const given of [files, pair])
      assert.throws(
        () => load([...cluster, ...given]),
        /--cassandra-tls is "no", and .*: choose --cassandra-tls yes/,
      );
    for (const tls of ['yes', 'any-host'])
      assert.equal(load([...cluster, ...files, ...pair, `--cassandra-tls=${tls}`]).cassandraTls, tls);
  });

  it('takes several workers for a cluster only', () => {
    const cluster = [
      '--engine=cassandra',
      '--cassandra-contact-points=a',
      '--cassandra-local-datacenter=dc1',
    ];
    assert.equal(load([...cluster, '--workers', '2']).workers, 2);
    assert.match(problemsOf(['--workers', '2']).join(), /^--workers is 2, and --engine is "embedded"/);
    assert.equal(problemsOf([...cluster, '--workers', '0']).length, 1);
  });

  it('takes a secret for page states that cannot be guessed, and shows none', () => {
    const secret = 'x'.repeat(32);
    assert.equal(load(['--page-state-secret', secret]).pageStateSecret, secret);
    for (const wrong of [secret.slice(1), `${secret} `]) {
      assert.deepEqual(problemsOf([], { COLONNADE_PAGE_STATE_SECRET: wrong }), [
        'the environment variable COLONNADE_PAGE_STATE_SECRET must be at least 32 visible ASCII characters without spaces',
      ]);
    }
  });

  it('refuses one port for both listeners', () => {
    assert.match(problemsOf(['--port', '9', '--ops-port', '9'])[0] ?? '', /are both 9/);
    for (const host of ['0.0.0.0', '::', 'localhost'])
      assert.match(
        problemsOf(['--host', host, '--token', 'T', '--port', '9', '--ops-port', '9']).join(),
        /are both 9 on .+ and 127\.0\.0\.1, which share an address/,
      );
    for (const host of ['::1', '127.0.0.2'])
      loadConfig(['--host', host, '--port', '9', '--ops-port', '9'], { environment: {}, readFile: () => '' });
    load(['--port', '0', '--ops-port', '0']);
  });
});

describe('the users of the operations port', () => {
  const hash = `scrypt$32768$8$1$${'A'.repeat(22)}==$${'A'.repeat(43)}=`;
  const ada = { name: 'ada', role: 'operator', password_hash: hash };
  const inFile = (ops: object) => ({ readFile: () => JSON.stringify({ ops }), environment: {} });

  it('stand in a section of the config file, with other options of that section', () => {
    const config = loadConfig(['--config', 'c.json'], inFile({ users: [ada], host: '10.0.0.1', port: 1 }));
    assert.deepEqual(config.opsUsers, [{ name: 'ada', role: 'operator', passwordHash: hash }]);
    assert.deepEqual([config.opsHost, config.opsPort], ['10.0.0.1', 1]);
  });

  it('are refused as a whole when one of them is wrong, and no hash is shown', () => {
    for (const users of [
      {},
      'x',
      [{ ...ada, name: '' }],
      [{ ...ada, role: 'root' }],
      [{ ...ada, password_hash: 'right horse' }],
      [{ ...ada, password: 'right horse' }],
      [ada, ada],
      [{ ...ada, name: 'system' }],
    ]) {
      assert.throws(
        () => loadConfig(['--config', 'c.json'], inFile({ users })),
        (error) => {
          assert.ok(error instanceof ConfigProblems);
          assert.match(error.message, /"ops.users" in c.json must be a JSON array of \{"name"/);
          assert.doesNotMatch(error.message, /right horse|AAAA/);
          return true;
        },
        JSON.stringify(users),
      );
    }
  });

  it('have a name and a password that a login takes, also the one of the start', () => {
    const long = ['--ops-user', 'a'.repeat(100), `--ops-password=${'p'.repeat(1000)}`];
    assert.equal(load(long).opsPassword?.length, 1000);
    for (const [name, password] of [
      ['system', 'p'],
      ['a'.repeat(101), 'p'],
      ['ada', 'p'.repeat(1001)],
    ] as const)
      assert.match(
        problemsOf(['--ops-user', name, '--ops-password', password])[0] ?? '',
        /must be (a name of at most 100|at most 1000 visible)/,
      );
  });

  it('open the port to other machines; without them it stays on loopback', () => {
    assert.deepEqual(problemsOf(['--ops-host', '10.0.0.1']).length, 1);
    const given = ['--ops-host', '10.0.0.1', '--ops-user', 'root', '--ops-password', 'p'];
    assert.equal(load(given).opsHost, '10.0.0.1');
    assert.match(problemsOf(given.slice(0, 4)).join(), /--ops-user and --ops-password belong together/);
    assert.throws(
      () =>
        loadConfig(['--config', 'c', '--ops-user', 'ada', '--ops-password', 'p'], inFile({ users: [ada] })),
      /which is also in --ops-users/,
    );
  });
});

describe('the environment for programs that are not ours', () => {
  it('is that of this process without our options', () => {
    process.env['COLONNADE_TOKEN'] = 'secret';
    try {
      const environment = programEnvironment();
      assert.equal(environment['PATH'], process.env['PATH']);
      assert.equal(environment['COLONNADE_TOKEN'], undefined);
    } finally {
      delete process.env['COLONNADE_TOKEN'];
    }
  });
});
