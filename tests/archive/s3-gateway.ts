// An object store of another project with the interface of S3, over a directory: https://github.com/versity/versitygw
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../acceptance/free-port.js';

/** The program; undefined if there is none. `.ci/run` installs it. */
export const gatewayProgram = process.env['S3_GATEWAY'];

/** Why tests of a real store are skipped; false if they are not. */
export const withoutGateway =
  gatewayProgram === undefined && 'there is no object store: S3_GATEWAY is not set';

/** A store that runs, with an empty bucket. */
export interface S3Gateway {
  readonly url: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  stop(): Promise<void>;
}

/** Starts a store. @throws Error with what the program wrote if it does not answer */
export async function startS3Gateway(program: string): Promise<S3Gateway> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-gateway-'));
  const [bucket, region, accessKey, secretKey] = ['archives', 'test-1', 'test-access', 'test-secret'];
  mkdirSync(join(directory, bucket));
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const options = ['--port', address, '--region', region, '--access', accessKey, '--secret', secretKey];
  const child = spawn(program, [...options, '--quiet', '--keep-alive', 'posix', directory]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const exited = once(child, 'exit');
  const url = `http://${address}`;
  await answering(url, child, () => output);
  return {
    ...{ url, bucket, region, accessKey, secretKey },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(directory, { recursive: true });
    },
  };
}

async function answering(url: string, child: ChildProcess, output: () => string): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst) await sleep(50);
    if (child.exitCode !== null) throw new Error(`the object store ended: ${output()}`);
    try {
      await fetch(url);
      return;
    } catch {
      // It does not listen yet.
    }
  }
}
