// Writes all of a piece at an offset of a file: the system may write a part of it only.
import { writeSync } from 'node:fs';

/** @throws errors of the file system */
export function writeWhole(file: number, bytes: Uint8Array, offset: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
}
