// Finds by the first bytes of a file what it is, whatever its name says.

/** Codings of whole files that an import reads. */
export type Compression = 'gzip' | 'zstd' | 'bzip2' | 'xz' | 'zip';

/** What a file is: compressed, or of a format that has no rows for an import, with what to do about it. */
export type ContentKind =
  | { readonly compression: Compression }
  | { readonly title: string; readonly advice: string };

/** The number of bytes at the beginning of a file that decide what it is; a shorter file has fewer. */
export const kindBytes = 512;

interface Signature {
  readonly at: number;
  /** Hexadecimal digits. */
  readonly bytes: string;
}

const compressions: readonly (Signature & { readonly compression: Compression })[] = [
  { at: 0, bytes: '1f8b', compression: 'gzip' },
  { at: 0, bytes: '28b52ffd', compression: 'zstd' },
  { at: 0, bytes: '425a68', compression: 'bzip2' },
  { at: 0, bytes: 'fd377a585a00', compression: 'xz' },
  { at: 0, bytes: '504b0304', compression: 'zip' },
];

const asCsv = 'save or export it as CSV';
const extracted = 'extract it first';
const others: readonly (Signature & { readonly title: string; readonly advice: string })[] = [
  {
    at: 0,
    bytes: text('PAR1'),
    title: 'a Parquet file',
    advice: 'convert it to CSV or NDJSON, as with DuckDB',
  },
  {
    at: 0,
    bytes: text('ARROW1'),
    title: 'an Arrow file',
    advice: 'convert it to CSV or NDJSON, as with DuckDB',
  },
  { at: 0, bytes: text('FEA1'), title: 'a Feather file', advice: 'convert it to CSV or NDJSON' },
  { at: 0, bytes: text('ORC'), title: 'an ORC file', advice: 'convert it to CSV or NDJSON' },
  {
    at: 0,
    bytes: `${text('Obj')}01`,
    title: 'an Avro file',
    advice: 'convert it to NDJSON, as with avrocat',
  },
  {
    at: 0,
    bytes: `${text('SQLite format 3')}00`,
    title: 'a SQLite database',
    advice: 'export a table, as with sqlite3 -header -csv FILE "SELECT * FROM name"',
  },
  { at: 8, bytes: text('DUCK'), title: 'a DuckDB database', advice: 'export a table with COPY … TO' },
  { at: 0, bytes: text('%PDF-'), title: 'a PDF document', advice: asCsv },
  {
    at: 0,
    bytes: 'd0cf11e0a1b11ae1',
    title: 'a document of older Microsoft Office, such as .xls',
    advice: asCsv,
  },
  { at: 0, bytes: '377abcaf271c', title: 'a 7z archive', advice: extracted },
  { at: 0, bytes: text('Rar!'), title: 'a RAR archive', advice: extracted },
  {
    at: 257,
    bytes: text('ustar'),
    title: 'a tar archive',
    advice: `${extracted}, and give one of its files`,
  },
  { at: 0, bytes: '504b0506', title: 'a ZIP archive without files', advice: 'give another file' },
  { at: 0, bytes: '04224d18', title: 'compressed by lz4', advice: 'decompress it first with lz4 -d' },
  { at: 0, bytes: '1f9d', title: 'compressed by compress', advice: 'decompress it first with gzip -d' },
  { at: 0, bytes: text('LZIP'), title: 'compressed by lzip', advice: 'decompress it first with lzip -d' },
  { at: 0, bytes: '5d00008000', title: 'compressed by lzma', advice: 'decompress it first with xz -d' },
  { at: 0, bytes: '89484446', title: 'an HDF5 file', advice: 'convert it to CSV or NDJSON' },
  {
    at: 0,
    bytes: `93${text('NUMPY')}`,
    title: 'a NumPy array',
    advice: 'save it as CSV, as with numpy.savetxt',
  },
  { at: 0, bytes: '89504e47', title: 'a PNG image', advice: 'give another file' },
  { at: 0, bytes: 'ffd8ff', title: 'a JPEG image', advice: 'give another file' },
  { at: 0, bytes: text('GIF8'), title: 'a GIF image', advice: 'give another file' },
  { at: 0, bytes: '7f454c46', title: 'a program', advice: 'give another file' },
];

function text(letters: string): string {
  return [...letters].map((letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** What the file with this beginning is; undefined for texts, and for what is not known. */
export function contentKind(beginning: Uint8Array): ContentKind | undefined {
  const has = ({ at, bytes }: Signature) => hexAt(beginning, at, bytes.length / 2) === bytes;
  const compressed = compressions.find(has);
  if (compressed !== undefined) return { compression: compressed.compression };
  const other = others.find(has);
  if (other !== undefined) return { title: other.title, advice: other.advice };
  const markup = /^(?:\ufeff)?\s*<(?:!doctype html|html|\?xml)/i.exec(new TextDecoder().decode(beginning));
  if (markup === null) return undefined;
  return markup[0].endsWith('xml')
    ? { title: 'an XML document', advice: 'convert it to CSV or NDJSON' }
    : { title: 'an HTML page', advice: 'was a login or an error page saved in place of the file?' };
}

function hexAt(bytes: Uint8Array, at: number, length: number): string {
  let hex = '';
  for (const byte of bytes.subarray(at, at + length)) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

/** What a ZIP archive with these names is if it is a document of an office program; undefined if it is not. */
export function officeKind(names: readonly string[]): string | undefined {
  const has = (part: string) => names.some((name) => name.startsWith(part));
  if (has('xl/')) return 'an Excel workbook (.xlsx)';
  if (has('word/')) return 'a Word document (.docx)';
  if (has('ppt/')) return 'a presentation (.pptx)';
  return names.includes('mimetype') && names.includes('content.xml')
    ? 'an OpenDocument file, such as .ods'
    : undefined;
}
