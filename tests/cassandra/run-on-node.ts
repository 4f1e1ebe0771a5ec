// Runs test files that start servers with the rows of these servers in a real node.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOfSharedProcess } from '../../tools/share-process.js';
import type { CassandraNodes } from '../../tools/start-cassandra/start-cassandra.js';
import { serverArgsVariable } from '../acceptance/server-args.js';

/** The options of a server whose rows are in a cluster. */
export function argsFor(cluster: CassandraNodes): readonly string[] {
  return [
    ...['--engine', 'cassandra', '--cassandra-contact-points', '127.0.0.1'],
    ...['--cassandra-port', String(cluster.nodes[0]?.place.nativePort)],
    ...['--cassandra-local-datacenter', 'datacenter1'],
  ];
}

/** What a run of test files found. */
export interface RunOnNode {
  /** `suite > test` → what the runner says of it; a suite only where its hooks failed. */
  readonly failed: ReadonlyMap<string, string>;
  /** Named in the same way. */
  readonly passed: readonly string[];
  readonly skipped: readonly string[];
}

/**
 * Runs compiled test files of a folder in one process, one after another: each of their suites empties the cluster.
 * `names`: as in the folder.
 */
export async function runOnNode(
  folder: string,
  names: readonly string[],
  args: readonly string[],
): Promise<RunOnNode> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-on-node-'));
  try {
    const all = join(directory, 'all.mjs');
    writeFileSync(all, textOfSharedProcess(folder, names));
    const { text, problems } = await outputOf(['--test-reporter=tap', all], args);
    const run = readTap(text);
    if (run.passed.length + run.failed.size === 0) throw new Error(`no test ran:\n${text}\n${problems}`);
    return run;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What a Node process prints; tests that failed make its exit code 1. */
function outputOf(
  nodeArgs: readonly string[],
  args: readonly string[],
): Promise<{ readonly text: string; readonly problems: string }> {
  const env = {
    ...process.env,
    [serverArgsVariable]: JSON.stringify(args),
    NODE_TEST_CONTEXT: undefined,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, nodeArgs, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { text: '', problems: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.text += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.problems += text;
    });
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

const line = /^( *)(# Subtest: |(not )?ok \d+ - )(.*)$/;

/** Reads the text that Node's runner writes in the Test Anything Protocol. */
function readTap(text: string): RunOnNode {
  const failed = new Map<string, string>();
  const passed: string[] = [];
  const skipped: string[] = [];
  let names: readonly string[] = [];
  const lines = text.split('\n');
  for (const [at, each] of lines.entries()) {
    const [, indent = '', what = '', isNot, name = ''] = line.exec(each) ?? [];
    if (what === '') continue;
    const depth = indent.length / 4;
    if (what.startsWith('#')) {
      names = [...names.slice(0, depth), name.replaceAll('\\', '')];
      continue;
    }
    const whole = names.slice(0, depth + 1).join(' > ');
    const facts = lines.slice(at + 1, lines.indexOf(`${indent}  ...`, at)).join('\n');
    if (/ # SKIP/.test(name)) skipped.push(whole);
    else if (isNot !== undefined) {
      // The suite is there with its reason: its hook failed.
      const isOfSuite = facts.includes("failureType: 'cancelledByParent'");
      const isOfParts = facts.includes("failureType: 'subtestsFailed'");
      if (!isOfSuite && !isOfParts) failed.set(whole, facts);
    } else if (!facts.includes("type: 'suite'")) passed.push(whole);
  }
  return { failed, passed, skipped };
}
