// Slow disks and wrong clocks for processes: a library that is loaded into them, and the files that say what is wrong.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is wrong with a process at a moment. */
export interface Trouble {
  /** What each synchronization with the disk takes longer; a read or write of a file, a fiftieth of it. */
  readonly syncMs: number;
  /** What the clock of the day is ahead; negative: behind. */
  readonly clockMs: number;
}

export const noTrouble: Trouble = { syncMs: 0, clockMs: 0 };

/** The troubles of one process, present and later ones. */
export interface TroubledProcess {
  /** The environment variables with which the process is started. */
  readonly environment: Readonly<Record<string, string>>;
  /** Takes effect at once, also in a process that runs already. */
  set(trouble: Trouble): void;
}

/** Compiles the library into a folder; fails where there is no `gcc`. Returns its path. */
export function compileTroubles(directory: string): string {
  // The build has no C: the source is beside the TypeScript, four folders up from the built file.
  const source = fileURLToPath(
    new URL('../../../../tests/cassandra/histories/troubled-process.c', import.meta.url),
  );
  const library = join(directory, 'troubled-process.so');
  execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-Wall', '-o', library, source, '-ldl'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return library;
}

/** Makes the file of a process that is started with the library. */
export function troubledProcess(library: string, file: string): TroubledProcess {
  writeFileSync(file, bytesOf(noTrouble));
  return {
    environment: { LD_PRELOAD: library, TROUBLES_FILE: file },
    set: (trouble) => {
      // Written in place: the process has this file in its memory.
      const opened = openSync(file, 'r+');
      writeSync(opened, bytesOf(trouble), 0, undefined, 0);
      closeSync(opened);
    },
  };
}

function bytesOf({ syncMs, clockMs }: Trouble): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64LE(BigInt(syncMs), 0);
  bytes.writeBigInt64LE(BigInt(clockMs), 8);
  return bytes;
}
