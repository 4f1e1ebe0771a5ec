// Checks the command lines of `colonnade export` and `colonnade import` that cannot be used, and their help.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sendRequest } from '../../foundation/http/send-request.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { exportCommand } from '../export.js';
import { importCommand } from '../import.js';

const surroundings = {
  sendRequest,
  clock: systemClock,
  wait: async () => {},
  onInterrupt: () => new AbortController().signal,
  version: '1.2.3',
  input: () => assert.fail('nothing was to be read'),
};

/** Command lines that cannot be used, with their problems. */
const misuses: readonly (readonly [name: 'export' | 'import', args: readonly string[], problem: RegExp])[] = [
  ['export', [], /give one directory/],
  ['export', ['a', 'b'], /give one directory/],
  ['export', ['a', '--tables', 'a;b'], /--tables is "a;b"; names have letters/],
  ['export', ['a', '--keyspace', ''], /--keyspace is ""/],
  ['export', ['a', '--url', 'h'], /--url is "h"; it must be http/],
  ['export', ['a', '--config', '/nowhere/at/all'], /a problem in the configuration/],
  ['import', ['a', '--verify', 'maybe'], /--verify is "maybe"; it must be yes or no/],
  ['import', ['a', '--to-keyspace', 'a b'], /--to-keyspace is "a b"/],
  ['import', ['a', '--retries', 'x'], /--retries is "x"/],
  ['import', ['a', '--to-keyspce', 'x'], /there is no option --to-keyspce; did you mean --to-keyspace\?/],
  [
    'import',
    ['a', '--from', 'http://h:1'],
    /give a directory or --from or --from-public, and only one of them/,
  ],
  ['import', ['--from', 'h'], /--from is "h"; it must be http:\/\/HOST:PORT/],
  ['import', ['a', '--from-token', 't'], /--from-token needs the address of a server: --from URL/],
  ['import', ['--from', 'http://h:1', '--from-public', 'http://h:2'], /and only one of them/],
  ['import', ['--from-public', 'h'], /--from-public is "h"; it must be http:\/\/HOST:PORT/],
  ['import', ['--from', 'http://h:1', '--from-session', 's'], /--from-session is for --from-public/],
  ['import', ['--from', 'http://h:1', '--table', 't'], /choose tables of a server with --tables/],
  ['import', ['--from', 'http://h:1', '--dry-run'], /--dry-run is for a file/],
  ['import', ['--from', 'http://h:1', '--from-keyspace', 'a b'], /--from-keyspace is "a b"/],
  ['import', ['--from', 'http://h:1', '--from-config', '/nowhere/at/all'], /in the configuration/],
  ['import', ['--from', 'http://h:1', '--url', 'http://h:1/'], /are the same keyspace default_keyspace/],
  ['import', ['--from', 'http://h/v1'], /--from is "http:\/\/h\/v1"; it must be http:/],
  [
    'import',
    ['--from', 'http://h', '--from-token', 'a\n'],
    /--from-token must be visible ASCII characters without spaces/,
  ],
  ['import', ['a.csv'], /a\.csv is a file: name the table of the file with --table NAME/],
  ['import', ['a', '--columns', 'id:int'], /--columns is for a file: name the table/],
  ['import', ['a', '--dry-run'], /--dry-run is for a file/],
  ['import', ['a', '--table', 'a b'], /--table is "a b"; names have letters/],
  ['export', ['a', '--table', 't'], /give --format csv or --format ndjson/],
  ['export', ['-', '--table', 't', '--format', 'csv'], /an export to standard output is not possible/],
  ['export', ['a.csv.zst', '--table', 't'], /compressed by gzip only: give a name that ends with .gz/],
  ['export', ['a.json', '--table', 't'], /give .ndjson/],
  ['import', ['-'], /- is standard input: name the table/],
  ['import', ['a.json', '--table', 't', '--id-from', 'a'], /--id-from is for a collection/],
  ['import', ['a.csv', '--collection', 't', '--id-from', 'a', '--primary-key', 'b'], /not both/],
  ['import', ['a', '--table', 't', '--format', 'xml'], /--format is "xml"; it must be csv, ndjson or json/],
  ['import', ['a.csv', '--table', 't', '--collection', 'c'], /--table or --collection, not both/],
  ['import', ['a.csv', '--table', 't', '--columns', 'id'], /--columns has "id"; it must be NAME:TYPE/],
  [
    'import',
    ['a.csv', '--table', 't', '--quote', 'ab'],
    /--quote is "ab"; it must be "none" or one character/,
  ],
  ['import', ['a.csv', '--table', 't', '--comment', ''], /--comment is empty; it must be what comments/],
  ['import', ['a.csv', '--table', 't', '--skip-lines', 'x'], /--skip-lines is "x"; it must be a number/],
  ['import', ['a.csv', '--table', 't', '--encoding', 'x'], /--encoding is "x"; it must be one such as utf-8/],
  ['import', ['a.csv', '--table', 't', '--decimal', ';'], /--decimal is ";"; it must be \. or ,/],
  ['import', ['a.csv', '--table', 't', '--thousands', '.'], /--thousands is "\."; it must be one character/],
  ['import', ['a.csv', '--table', 't', '--names', 'a,a'], /--names has the name a twice/],
  ['import', ['a.csv', '--table', 't', '--header', '--no-header'], /--header or --no-header, not both/],
  [
    'import',
    ['a.csv', '--table', 't', '--delimiter', ';', '--quote', ';'],
    /--delimiter and --quote are both/,
  ],
  ['import', ['a', '--null', 'NA'], /--null is for a file: name the table/],
  ['import', ['a.ndjson', '--table', 't', '--null', 'NA'], /--null is for CSV/],
  ['import', ['a.ndjson', '--table', 't', '--ragged'], /--ragged is for CSV/],
  ['export', ['a.ndjson', '--table', 't', '--escape-formulas'], /--escape-formulas is for CSV/],
  ['export', ['a.csv', '--table', 't', '--delimiter', 'none'], /--delimiter none is for an import/],
  ['import', ['a.csv', '--table', 't', '--columns', 'id:number'], /with one of the types boolean, int/],
  ['import', ['a.csv', '--table', 't', '--delimiter', 'x'], /--delimiter is "x"/],
  ['import', ['a.ndjson', '--table', 't', '--primary-key', 'x'], /--primary-key is for CSV/],
  ['export', ['a.csv', '--table', 't', '--compress'], /--compress is for a directory/],
  ['import', ['a.csv', '--table', 't', '--allow-unsupported'], /--allow-unsupported is for a directory/],
  ['export', ['a.csv', '--table', 't', '--tables', 'u'], /--tables is for a directory/],
];

describe('colonnade export and import', () => {
  it('refuse a command line that they do not understand', async () => {
    for (const [name, args, expected] of misuses) {
      let problem = '';
      const command = name === 'export' ? exportCommand(surroundings) : importCommand(surroundings);
      const code = await command.run(args, {
        out: () => assert.fail('no output was expected'),
        problem: (text) => {
          problem += text;
        },
      });
      assert.equal(code, 2, args.join(' '));
      assert.match(problem, expected);
      assert.match(problem, new RegExp(`For the options: colonnade ${name} --help\n$`));
    }
  });

  it('list their options in lines that fit a terminal', () => {
    for (const [text, options] of [
      [exportCommand(surroundings).help(), ['--keyspace', '--tables', '--compress', '--allow-unsupported']],
      [
        importCommand(surroundings).help(),
        ['--to-keyspace', '--verify', '--progress', '--allow-unsupported', '--columns', '--primary-key'],
      ],
    ] as const) {
      for (const option of [...options, '--url', '--token', '--config', '--retries'])
        assert.match(text, new RegExp(`^  ${option}`, 'm'));
      for (const line of text.split('\n')) assert.ok(line.length <= 90, line);
    }
  });
});
