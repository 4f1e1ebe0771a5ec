// How many connections each port takes, so that descriptors are left for everything else.

/** Connections at the same time. */
export interface ConnectionLimits {
  readonly data: number;
  readonly ops: number;
}

/** For files, threads, outgoing connections and programs; a start takes about 60 of them. */
const reserved = 128;
/** Agents and screens need far fewer. */
const mostOfOps = 1024;
const leastDescriptors = 256;

/**
 * Shares the descriptors that the process may have; undefined for as many as wanted.
 * @throws Error where they are too few to serve
 */
export function connectionLimits(
  maxConnections: number,
  descriptors: number = Number.POSITIVE_INFINITY,
): ConnectionLimits {
  if (descriptors < leastDescriptors) {
    throw new Error(
      `the process may open only ${descriptors} files and connections, and needs ${leastDescriptors}: ` +
        'raise the limit (ulimit -n)',
    );
  }
  const ops = Math.min(mostOfOps, Math.floor(descriptors / 4));
  return { ops, data: Math.min(maxConnections, descriptors - reserved - ops) };
}
