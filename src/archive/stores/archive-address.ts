// The address of an archive, as options and commands name it: a directory, or `s3://bucket/prefix`.
import { resolve } from 'node:path';
import type { SendRequest } from '../../foundation/http/send-request.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { ArchiveStore } from './archive-store.js';
import { DirectoryStore } from './directory-store.js';

/** The address of an archive and what an object store needs to be used. Plain data, which threads can copy. */
export interface ArchiveAddress {
  /** A directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
}

/** What stores use of their surroundings. */
export interface StoreSurroundings {
  readonly send: SendRequest;
  readonly clock: Clock;
  /** Makes a part of a file name that no other process makes. */
  readonly random: () => string;
}

/** The region of stores that have only one. */
const usualRegion = 'us-east-1';

/** A sentence about what is wrong with an address; undefined if it can be used. */
export function problemOfAddress({ archive, accessKey, secretKey }: ArchiveAddress): string | undefined {
  // A typing error in an address would make a directory on the disk of the server.
  if (!/^(?:s3:|[a-z][a-z0-9+.-]*:\/)/i.test(archive)) return undefined;
  if (parseS3(archive) === undefined)
    return `"${archive}" is not the address of an archive: it must be a directory or s3://BUCKET/PREFIX`;
  if (accessKey === undefined || secretKey === undefined)
    return `the archive ${archive} needs --archive-access-key and --archive-secret-key`;
  return undefined;
}

/** Opens the store of an address. Nothing is read yet. @throws Error for an address with a problem */
export async function openStore(
  address: ArchiveAddress,
  surroundings: StoreSurroundings,
): Promise<ArchiveStore> {
  const problem = problemOfAddress(address);
  if (problem !== undefined) throw new Error(problem);
  const { archive, endpoint, region = usualRegion, accessKey = '', secretKey = '' } = address;
  const place = parseS3(archive);
  if (place === undefined) return new DirectoryStore(resolve(archive), surroundings.random);
  const { S3Store } = await import('./s3-store.js');
  return new S3Store({ endpoint, region, accessKey, secretKey, ...place }, surroundings);
}

function parseS3(address: string): { readonly bucket: string; readonly prefix: string } | undefined {
  const [, bucket = '', prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/([\w./-]*))?$/.exec(address) ?? [];
  return bucket === '' ? undefined : { bucket, prefix: prefix.replace(/\/+$/, '') };
}
