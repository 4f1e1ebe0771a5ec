// Starts the program again, in the same process, with a setting of the C library's allocator that returns large blocks
// to the system.

/**
 * glibc reads this variable when a program starts: blocks of at least so many bytes are mapped and returned one by one.
 */
const variable = 'MALLOC_MMAP_THRESHOLD_';
/** glibc begins with this value, and raises it up to 32 MiB with each block that is released, unless it is set. */
const thresholdBytes = 128 * 1024;

/** The members of Node's `process` that this uses. */
export interface RestartableProcess {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  /** Set if the parent has a channel to this process, which a restart would close. */
  readonly send?: unknown;
  /** Replaces the program and never returns. In Node from 22.15 and 23.11 on, not on Windows. */
  execve?(file: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>): void;
}

/**
 * Replaces the program by itself with the variable set, and does not return then. Returns where that is not possible,
 * or not needed: on systems without glibc's allocator, and where the variable has a value.
 */
export function restartForAllocator(running: RestartableProcess): void {
  const { platform, env, execPath, execArgv, argv } = running;
  if (platform !== 'linux' || env[variable] !== undefined || running.send !== undefined) return;
  running.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
    ...env,
    [variable]: String(thresholdBytes),
  });
}
