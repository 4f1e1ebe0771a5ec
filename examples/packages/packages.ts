// Loads the packages of a node_modules directory into a running server and answers four questions about them.
import { parseArgs } from 'node:util';
import { DataAPIClient } from '@datastax/astra-db-ts';
import { countIndependent, describePackage, largestPackages, packagesAbout } from './answer-questions.js';
import { loadPackages } from './load-packages.js';
import { makeTables } from './package-tables.js';
import { renderAnswers, renderLoad } from './render.js';

const usage = `Usage: node dist/examples/packages/packages.js [options]

  --url URL        the table data service (default http://127.0.0.1:8181, or the port of COLONNADE_PORT)
  --token TOKEN    its token, if it has one (default: COLONNADE_TOKEN)
  --modules DIR    the directory to read (default node_modules)
  --package NAME   the package to look up (default pino)
  --licence NAME   the licence to list (default MIT)
  --about TEXT     what to look for in readmes (default "super fast logger")
  --json           print one JSON object instead of text
  --help           print this
`;

const options = {
  url: { type: 'string', default: `http://127.0.0.1:${process.env['COLONNADE_PORT'] ?? '8181'}` },
  token: { type: 'string' },
  modules: { type: 'string', default: 'node_modules' },
  package: { type: 'string', default: 'pino' },
  licence: { type: 'string', default: 'MIT' },
  about: { type: 'string', default: 'super fast logger' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  let given: ReturnType<typeof readArgs>;
  try {
    given = readArgs();
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n\n${usage}`);
    return 2;
  }
  if (given.help) process.stdout.write(usage);
  else await tour(given);
  return 0;
}

function readArgs() {
  return parseArgs({ options }).values;
}

async function tour(given: ReturnType<typeof readArgs>): Promise<void> {
  const token = given.token ?? process.env['COLONNADE_TOKEN'];
  const client = new DataAPIClient(token, { environment: 'other' });
  try {
    const tables = await makeTables(client.db(given.url));
    const load = await loadPackages(given.modules, tables);
    if (!given.json) process.stdout.write(renderLoad(given.modules, load));
    const answers = {
      package: given.package,
      licence: given.licence,
      about: given.about,
      described: await describePackage(given.package, tables),
      largest: await largestPackages(given.licence, 10, tables),
      found: await packagesAbout(given.about, 5, tables),
      dependencies: await countIndependent(tables),
    };
    process.stdout.write(given.json ? toJson({ load, ...answers }) : renderAnswers(answers));
  } finally {
    await client.close();
  }
}

/** JSON has no bigint; sizes of packages are small enough to be plain numbers. */
function toJson(value: unknown): string {
  const plain = (_: string, member: unknown) => (typeof member === 'bigint' ? Number(member) : member);
  return `${JSON.stringify(value, plain, 2)}\n`;
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isUnreachable = error.message.includes('ECONNREFUSED');
  return isUnreachable
    ? `${error.message}\nIs the server running? \`npm start\` starts one; --url names another address.`
    : error.message;
}
