// Reads files that are sent: first their size and version, then piece by piece.
import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

/** A file as it was when its reply began. */
export interface FileVersion {
  readonly path: string;
  readonly sizeBytes: number;
  /** An entity tag (RFC 9110 §8.8.3), different for each version of the file. */
  readonly etag: string;
}

/** The present version of a file. @throws the error of Node's `stat`, or an Error for a folder */
export async function versionOf(path: string): Promise<FileVersion> {
  return toVersion(path, await stat(path));
}

/**
 * Fills a piece with the bytes from an offset on and returns their number. The file is open only during the call, so
 * that a slow client holds no descriptor. @throws an error of Node, or an Error if the file has changed
 */
export async function readPiece(version: FileVersion, piece: Uint8Array, position: number): Promise<number> {
  const { path, etag, sizeBytes } = version;
  const handle = await open(path);
  try {
    const now = toVersion(path, await handle.stat());
    if (now.etag !== etag) throw new Error(`${path} changed while it was sent`);
    return await fill(handle, piece.subarray(0, sizeBytes - position), position);
  } finally {
    await handle.close();
  }
}

/** Whether the header `if-none-match` names the tag, compared weakly as RFC 9110 §13.1.2 says. */
export function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

function toVersion(path: string, stats: Stats): FileVersion {
  if (!stats.isFile()) throw new Error(`${path} is not a file`);
  // Not the time of the last modification: npm sets the same one on the files of every version of a package.
  const etag = `W/"${stats.size.toString(16)}-${Math.round(stats.ctimeMs * 1000).toString(16)}"`;
  return { path, sizeBytes: stats.size, etag };
}

async function fill(handle: FileHandle, piece: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < piece.length) {
    const { bytesRead } = await handle.read(piece, filled, piece.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('the file is shorter than it was');
    filled += bytesRead;
  }
  return filled;
}
