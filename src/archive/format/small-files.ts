// The small files of a data directory beside its databases: keys and the key store, which is encrypted as it is there.
import { ArchiveDamaged } from './archive-damaged.js';
import { openObject, sealObject, sha256Of } from './sealed-object.js';

/** A file of the data directory with its whole content. */
export interface SmallFile {
  /** Its name in the data directory. */
  readonly name: string;
  readonly content: Buffer;
}

/** Makes the object with all small files of one moment. Those that are not in it did not exist. */
export function encodeFiles(files: readonly SmallFile[]): Buffer {
  const described = files.map(({ name, content }) => ({
    name,
    bytes: content.length,
    sha256: sha256Of(content),
  }));
  return sealObject('files', { files: described }, Buffer.concat(files.map(({ content }) => content))).bytes;
}

/** Reads the small files of one moment. `name`: that of the object. @throws ArchiveDamaged */
export function decodeFiles(name: string, bytes: Buffer): readonly SmallFile[] {
  const { members, raw } = openObject('files', name, bytes);
  let at = 0;
  return members.objects('files').map((file) => {
    const content = raw.subarray(at, at + file.integer('bytes'));
    at += content.length;
    if (sha256Of(content) !== file.sha256('sha256'))
      throw new ArchiveDamaged(name, 'is damaged: one of its files does not have its checksum');
    // A name leads to a file of the data directory, and to nowhere else.
    return { name: file.text('name', /^[\w-][\w.-]*$/), content };
  });
}
