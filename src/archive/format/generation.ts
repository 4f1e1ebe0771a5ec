// The descriptions of an archive and of its generations.
import { generationPattern } from './names.js';
import { describeObject, readDescription, sha256Of } from './sealed-object.js';

/** An archive, which is described once. */
export interface ArchiveDescription {
  /** 32 hexadecimal digits: a server knows by them that an archive is the one that it shipped to. */
  readonly archive: string;
  readonly madeMs: number;
}

/** A generation: the changes of one data directory from some moment on, without a gap. */
export interface Generation {
  readonly generation: string;
  /** The archive that it belongs to. */
  readonly archive: string;
  /** Such as `colonnade 0.1.0`. */
  readonly madeBy: string;
  readonly madeMs: number;
  /** The engine of the server: `embedded`. */
  readonly engine: string;
  /** Why it began: a sentence. */
  readonly reason: string;
  /** The number of the lease that allowed it; 0 without leases. */
  readonly epoch: number;
}

/** Makes `archive.json`. */
export function encodeArchive(description: ArchiveDescription): Buffer {
  return describeObject('archive', description);
}

/** Reads `archive.json`. @throws ArchiveDamaged */
export function decodeArchive(name: string, bytes: Buffer): ArchiveDescription {
  const members = readDescription('archive', name, bytes);
  return { archive: members.text('archive', archivePattern), madeMs: members.integer('madeMs') };
}

/** Makes `generation.json`. Returns it and its SHA-256, which the first piece of each database names. */
export function encodeGeneration(generation: Generation): {
  readonly bytes: Buffer;
  readonly sha256: string;
} {
  const bytes = describeObject('generation', generation);
  return { bytes, sha256: sha256Of(bytes) };
}

/** Reads `generation.json`. @throws ArchiveDamaged */
export function decodeGeneration(name: string, bytes: Buffer): Generation & { readonly sha256: string } {
  const members = readDescription('generation', name, bytes);
  return {
    generation: members.text('generation', generationPattern),
    archive: members.text('archive', archivePattern),
    madeBy: members.text('madeBy'),
    madeMs: members.integer('madeMs'),
    engine: members.text('engine'),
    reason: members.text('reason'),
    epoch: members.integer('epoch'),
    sha256: sha256Of(bytes),
  };
}

const archivePattern = /^[0-9a-f]{32}$/;
