// `colonnade restore --from`, `archives` and `check` with the archive of a server.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { begin, insertAll, move, rowsOf, send } from '../acceptance/between-servers.js';
import { createNotes } from '../acceptance/moved-tables.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { ArchiveMaker } from './archive-maker.js';

const people = '/default_keyspace/people';
const startMs = Date.UTC(2026, 10, 27, 10);
const secondsLater = (seconds: number) => startMs + seconds * 1_000;

describe('the commands of archives', () => {
  const archive = join(makeTemporaryDirectory(), 'an archive');
  const dataDir = join(makeTemporaryDirectory(), 'data');
  let people2 = '';

  before(async () => {
    const store = new DirectoryStore(archive, () => 'x');
    const maker = new ArchiveMaker(store, startMs);
    await maker.begin(startMs);
    const ship = async (seconds: number, isFirst = false) => {
      for (const [database, name] of [
        ['data', 'data.db'],
        ['ops', 'ops/ops.db'],
      ] as const) {
        const path = join(dataDir, name);
        if (isFirst) await maker.copy(database, path, secondsLater(seconds));
        await maker.ship(database, path, secondsLater(seconds));
      }
    };
    await withServer({ dataDir }, async ({ url }) => {
      await createNotes(url, 'default_keyspace');
      await send(url, '/default_keyspace', '{"createCollection":{"name":"people"}}');
      await insertAll(url, people, ['{"_id":1}']);
    });
    await ship(1, true);
    const secrets = readdirSync(dataDir).filter((name) => /^(page-state|key-store)\./.test(name));
    const files = secrets.map((name) => ({ name, content: readFileSync(join(dataDir, name)) }));
    await maker.files(files, secondsLater(1));
    await withServer({ dataDir }, async ({ url }) => {
      await insertAll(url, people, ['{"_id":2}']);
      people2 = await rowsOf(url, people);
    });
    await ship(2);
  });

  /** A copy of the archive, changed by `damage`. */
  function damaged(damage: (copy: string) => void): string {
    const copy = join(makeTemporaryDirectory(), 'copy');
    cpSync(archive, copy, { recursive: true });
    damage(copy);
    return copy;
  }

  const objectsOf = (copy: string, pattern: RegExp) =>
    readdirSync(copy, { recursive: true, encoding: 'utf8' })
      .filter((name) => pattern.test(name))
      .sort();

  const newDirectory = () => join(makeTemporaryDirectory(), 'restored');

  /** Directories that are not archives, and archives that are damaged. */
  function wrongArchives() {
    const notOne = makeTemporaryDirectory();
    const [later, empty] = [newDirectory(), makeTemporaryDirectory()];
    cpSync(archive, later, { recursive: true });
    const generation = readdirSync(join(later, 'generations'))[0] ?? '';
    const path = join(later, 'archive.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"format": \d+/, '"format": 99'));
    cpSync(join(archive, 'archive.json'), join(empty, 'archive.json'));
    mkdirSync(join(empty, 'generations'));
    const pieces = /data\/pieces\/000000\/0000000002\.piece$/;
    const lacking = damaged((copy) => {
      rmSync(join(copy, objectsOf(copy, /data\/pieces\/000000\/0000000001\.piece$/)[0] ?? ''));
    });
    const changed = damaged((copy) => {
      const name = join(copy, objectsOf(copy, pieces)[0] ?? '');
      const bytes = readFileSync(name);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 9) ^ 4, bytes.length - 9);
      writeFileSync(name, bytes);
    });
    return { notOne, later, empty, lacking, changed, generation };
  }

  it('make a working server of the newest state and of an earlier one', async () => {
    const target = newDirectory();
    const { stdout } = await move(['restore', '--from', archive, '--data-dir', target]);
    assert.match(stdout, /as of 2026-11-27T10:00:02\.000Z, of 20261127T100000Z-0123abcd in .+an archive\n/);
    assert.match(
      stdout,
      /Every write until 2026-11-27T10:00:02\.000Z is there\. Nothing was shipped in the .+ s since then: the server /,
    );
    assert.match(stdout, /Start a server on it: colonnade serve --data-dir \S+ --archive '.+an archive'\n$/);
    assert.match((await move(['check', '--data-dir', target])).stdout, /: no damage found\n$/);
    await withServer({ dataDir: target }, async ({ url }) =>
      assert.equal(await rowsOf(url, people), people2),
    );
    const earlier = newDirectory();
    const args = ['restore', '--from', archive, '--at', '2026-11-27T11:00:01.5+01:00', '--data-dir', earlier];
    const result = JSON.parse((await move([...args, '--json'])).stdout);
    assert.deepEqual(
      [result.ok, result.stateAt, result.isNewest, result.unknownMs],
      // The next piece has what was written in this time.
      [true, '2026-11-27T10:00:01.000Z', false, 500],
    );
    await withServer({ dataDir: earlier }, async ({ url }) => {
      assert.doesNotMatch(await rowsOf(url, people), /"_id":2/);
    });
  });

  it('list and verify the archive', async () => {
    const { stdout } = await move(['archives', archive]);
    assert.equal(
      stdout,
      '20261127T100000Z-0123abcd: by colonnade 0.2.0; a test began it\n' +
        '  data: every moment from 2026-11-27T10:00:01.000Z to 2026-11-27T10:00:02.000Z (1 copy, up to piece 2)\n' +
        '  ops: every moment from 2026-11-27T10:00:01.000Z to 2026-11-27T10:00:02.000Z (1 copy, up to piece 2)\n',
    );
    const [listed] = JSON.parse((await move(['archives', archive, '--json'])).stdout).generations;
    assert.equal(listed.databases[0].to, '2026-11-27T10:00:02.000Z');
    assert.match(
      (await move(['check', archive])).stdout,
      /\(archive\): 1 generation, 2 copies, 4 pieces checked: no damage found\n$/,
    );
  });

  it('begin again after a kill', async () => {
    const target = newDirectory();
    for (let round = 0; ; round += 1) {
      const { child, ended } = begin(['restore', '--from', archive, '--data-dir', target]);
      const unfinished = join(target, 'restore-unfinished');
      let isOver = false;
      const over = ended.then(() => {
        isOver = true;
      });
      while (!isOver && !existsSync(join(unfinished, round === 0 ? '' : 'data.db')))
        await new Promise((resolve) => setImmediate(resolve));
      if (round < 2) child.kill('SIGKILL');
      await over;
      if (round === 2) break;
      if (existsSync(unfinished))
        await move(['serve', '--data-dir', target, '--port', '0', '--ops-port', '0'], 1);
    }
    assert.ok(!existsSync(join(target, 'restore-unfinished')));
    await move(['check', '--data-dir', target]);
  });

  it('refuse what is not an archive, moments that it does not have, and a damaged archive', async () => {
    const { notOne, later, empty, lacking, changed, generation } = wrongArchives();
    const s3 = [
      '--archive-endpoint',
      'http://127.0.0.1:1',
      '--archive-access-key',
      'a',
      '--archive-secret-key',
      'b',
    ];
    const cases: readonly (readonly [args: readonly string[], code: number, problem: RegExp])[] = [
      [['--from', notOne], 1, /is not an archive: it has no archive\.json\. A server makes one/],
      [['--from', join(notOne, 'none')], 1, /there is no directory .+none/],
      [['--from', empty], 1, /has nothing to restore: no generation of it has a complete copy yet/],
      [['--from', later], 1, /archive\.json has the format 99, and this version reads the format \d+/],
      [
        ['--from', archive, '--at', '2026-11-27T10:00:00Z'],
        1,
        /the first moment that it has is 2026-11-27T10:00:01\.000Z/,
      ],
      [['--from', archive, '--at', '2999-01-01T00:00:00Z'], 1, /is in the future: leave --at out/],
      [['--from', archive, '--at', 'monday'], 2, /--at monday is not a moment: write it as/],
      [['--at', '2026-11-27T10:00:00Z', archive], 2, /--at needs --from ARCHIVE/],
      [[archive], 1, /is an archive: use --from/],
      [['--from', archive, archive], 2, /not both/],
      [
        ['--from', lacking],
        1,
        new RegExp(`generations/${generation}/data/pieces/000000/0000000001\\.piece is missing`),
      ],
      [
        ['--from', changed],
        1,
        new RegExp(`generations/${generation}/data/pieces/000000/0000000002\\.piece is damaged`),
      ],
      [['--from', 's3://bucket/x'], 1, /needs --archive-access-key and --archive-secret-key/],
      [['--from', 's3://Bucket'], 1, /is not the address of an archive/],
      [['--from', 's3://bucket/x', ...s3], 1, /s3:\/\/bucket\/x: .*ECONNREFUSED/],
    ];
    for (const [args, code, problem] of cases) {
      const target = newDirectory();
      const { stderr } = await move(['restore', ...args, '--data-dir', target], code);
      assert.match(stderr, problem);
      assert.ok(!existsSync(join(target, 'data.db')), args.join(' '));
    }
    assert.match((await move(['check', changed], 1)).stderr, /0000000002\.piece is damaged: its content/);
    assert.match((await move(['check', lacking], 1)).stderr, /0000000001\.piece is missing/);
  });
});
