// Adds up the sizes of the files in a directory.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes of all files under a directory, without the folder `except`. Files that are added or deleted at
 * the same time may count or not; undefined when the directory itself cannot be read.
 */
export async function directoryBytes(directory: string, except: string): Promise<number | undefined> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const sizes = entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (path === except) return 0;
      if (entry.isDirectory()) return (await directoryBytes(path, except)) ?? 0;
      return entry.isFile() ? await fileBytes(path) : 0;
    });
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  } catch {
    return undefined;
  }
}

async function fileBytes(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0; // it was deleted
  }
}
