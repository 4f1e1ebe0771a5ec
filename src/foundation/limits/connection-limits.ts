// The limits of connections of each port, which leave file descriptors for all other uses.

/** The maximum number of open connections. */
export interface ConnectionLimits {
  readonly data: number;
  readonly ops: number;
}

/** Descriptors for files, threads, outgoing connections and programs; a start takes about 60 of them. */
const reserved = 128;
/** Monitoring agents and dashboards need far fewer. */
const mostOfOps = 1024;
const leastDescriptors = 256;

/**
 * Divides the file descriptors of the process between the ports; undefined for no limit.
 * @throws Error if there are too few to serve
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
