// Files as people bring them, made by the tests, and the rows that they have.

/** A value of a row: a text, a number, a boolean, or a date by its text. */
export type MadeValue = string | number | boolean | { readonly date: string } | { readonly uuid: string };

/** A file, and what an import must make of it. */
export interface MadeFile {
  readonly title: string;
  /** The end of the name of the file. */
  readonly extension?: string;
  readonly content: string | Uint8Array;
  /** Options of the import. */
  readonly args?: readonly string[];
  /** The primary key of the table; the column `id` if it is absent. */
  readonly key?: string;
  /** The rows that are stored; members without a value are left out. */
  readonly rows: readonly Readonly<Record<string, MadeValue>>[];
  /** What the import prints about its guesses, besides the types. */
  readonly says?: RegExp;
  /** What it prints about refused rows; the exit code is 1. */
  readonly refuses?: RegExp;
}

const people = [
  { id: 1, name: 'Ann', town: 'Ulm' },
  { id: 2, name: 'Bob', town: 'Bern' },
];
const lines = ['id,name,town', '1,Ann,Ulm', '2,Bob,Bern'];
const joined = (delimiter: string) => lines.map((line) => line.replaceAll(',', delimiter)).join('\n');

const lineEnds: readonly MadeFile[] = [
  { title: 'lines that end with LF', content: `${lines.join('\n')}\n`, rows: people },
  { title: 'lines that end with CRLF', content: `${lines.join('\r\n')}\r\n`, rows: people },
  { title: 'lines that end with CR', content: `${lines.join('\r')}\r`, rows: people },
  { title: 'no end of the last line', content: lines.join('\n'), rows: people },
  { title: 'CR without an end of the last line', content: lines.join('\r'), rows: people },
  { title: 'mixed line ends', content: 'id,name,town\r\n1,Ann,Ulm\r2,Bob,Bern\n', rows: people },
  { title: 'empty lines', content: `\n\n${lines.join('\n\n\n')}\n\n`, rows: people },
  {
    title: 'line breaks in quotes',
    content: 'id,t\r\n1,"a\r\nb"\r\n2,"c\nd\re"\r\n',
    rows: [
      { id: 1, t: 'a\r\nb' },
      { id: 2, t: 'c\nd\re' },
    ],
  },
];

const delimiters: readonly MadeFile[] = [
  { title: 'semicolons', content: joined(';'), rows: people, says: /delimiter ;/ },
  { title: 'tabs in a .csv', content: joined('\t'), rows: people, says: /delimiter tab/ },
  { title: 'tabs in a .tsv', extension: 'tsv', content: joined('\t'), rows: people, says: /delimiter tab/ },
  { title: 'vertical bars', content: joined('|'), rows: people, says: /delimiter \|/ },
  { title: 'a delimiter by option', content: joined('^'), args: ['--delimiter', '^'], rows: people },
  { title: 'Ctrl-A of Hive', content: joined('\u0001'), args: ['--delimiter', '\u0001'], rows: people },
  { title: 'spaces', content: joined(' '), args: ['--delimiter', 'space'], rows: people },
  {
    title: 'the line sep=; of Excel',
    content: 'sep=;\r\nid;p\r\n1;a,b\r\n2;c\r\n',
    rows: [
      { id: 1, p: 'a,b' },
      { id: 2, p: 'c' },
    ],
    says: /delimiter ;, 1 lines skipped/,
  },
  {
    title: 'one column with commas in its texts',
    content: 'text\nHello, world\nfoo\n',
    key: 'text',
    rows: [{ text: 'Hello, world' }, { text: 'foo' }],
    says: /delimiter none/,
  },
  {
    title: 'one column by option',
    content: 'id\n1,5\n2,5\n',
    args: ['--delimiter', 'none'],
    rows: [{ id: '1,5' }, { id: '2,5' }],
  },
  {
    title: 'semicolons with decimal commas',
    content: 'id;p\n1;1,5\n2;2,50\n',
    rows: [
      { id: 1, p: '1,5' },
      { id: 2, p: '2,50' },
    ],
    says: /note: p is text, such as "1,5": if these are numbers with a decimal comma, give --decimal ,/,
  },
];

const headers: readonly MadeFile[] = [
  {
    title: 'names that members of every object have',
    content: 'id,constructor,toString,hasOwnProperty\n1,a,b,c\n2,,,d\n',
    rows: [
      { id: 1, constructor: 'a', toString: 'b', hasOwnProperty: 'c' },
      { id: 2, hasOwnProperty: 'd' },
    ],
  },
  {
    title: 'a column without a name, as pandas writes',
    content: ',name\n7,Ann\n8,Bob\n',
    key: 'column_1',
    rows: [
      { column_1: 7, name: 'Ann' },
      { column_1: 8, name: 'Bob' },
    ],
    says: /note: the column 1 has no name and is called column_1/,
  },
  {
    title: 'names of rows, as R writes',
    content: '"id","n"\n"x",1,2\n"y",3,4\n',
    rows: [
      { column_1: 'x', id: 1, n: 2 },
      { column_1: 'y', id: 3, n: 4 },
    ],
    says: /its first field is taken for the name of the row/,
  },
  {
    title: 'trailing commas in every line',
    content: 'id,a,,\n1,x,,\n2,y,,\n',
    rows: [
      { id: 1, a: 'x' },
      { id: 2, a: 'y' },
    ],
    says: /note: the column 3 has neither a name nor a value and is left out/,
  },
  {
    title: 'trailing commas in rows only',
    content: 'id,a\n1,x,\n2,y,,\n',
    rows: [
      { id: 1, a: 'x' },
      { id: 2, a: 'y' },
    ],
  },
  {
    title: 'the same name three times',
    content: 'id,a,a,a_2,a\n1,2,3,4,5\n',
    rows: [{ id: 1, a: 2, a_3: 3, a_2: 4, a_4: 5 }],
    says: /note: the column 3 is a second "a" and is called a_3/,
  },
  {
    title: 'rows of commas',
    content: 'id,a,b\n1,x,y\n,,\n,,\n2,,z\n,,\n',
    rows: [
      { id: 1, a: 'x', b: 'y' },
      { id: 2, b: 'z' },
    ],
    says: /note: 3 records without any value are left out/,
  },
  {
    title: 'no names',
    content: '1,Ann,2.5\n2,Bob,3.5\n',
    args: ['--no-header'],
    key: 'column_1',
    rows: [
      { column_1: 1, column_2: 'Ann', column_3: 2.5 },
      { column_1: 2, column_2: 'Bob', column_3: 3.5 },
    ],
  },
  {
    title: 'no names, and names by option',
    content: '1,Ann\n2,Bob\n',
    args: ['--no-header', '--names', 'id,"last, first"'],
    rows: [
      { id: 1, 'last, first': 'Ann' },
      { id: 2, 'last, first': 'Bob' },
    ],
  },
  {
    title: 'other names than those of the file',
    content: 'ID,$name\n1,Ann\n',
    args: ['--names', 'id,name'],
    rows: [{ id: 1, name: 'Ann' }],
  },
  {
    title: 'names that look like values',
    content: '20,10\n1,2\n',
    args: ['--header'],
    key: '20',
    rows: [{ 20: 1, 10: 2 }],
  },
  {
    title: 'years as names',
    content: 'id,2019,2020\nx,1,2\n',
    rows: [{ id: 'x', 2019: 1, 2020: 2 }],
  },
  {
    title: 'names with commas, quotes and blanks at their ends',
    content: 'id,"a, b", c ,"d ""e"""\n1,2,3,4\n',
    rows: [{ id: 1, 'a, b': 2, ' c ': 3, 'd "e"': 4 }],
    says: /--columns 'id:int,"a, b":int," c ":int,"d ""e""":int'/,
  },
  {
    title: 'lines before the names',
    content: 'Report of May\n"made 2026"\n\nid,a\n1,x\n',
    args: ['--skip-lines', '3'],
    rows: [{ id: 1, a: 'x' }],
  },
  {
    title: 'comments',
    content: '# made by a program\nid,a\n#1,gone\n2,x#y\n',
    args: ['--comment', '#'],
    rows: [{ id: 2, a: 'x#y' }],
  },
  {
    title: 'a byte order mark before a quoted name',
    content: '\ufeff"id","a"\n1,x\n',
    rows: [{ id: 1, a: 'x' }],
  },
];

const widths: readonly MadeFile[] = [
  {
    title: 'rows that are too short and too long',
    content: 'id,a,b\n1,x,y\n2\n3,x,y,z\n4,x,y\n5,,\n6,x,y\n',
    rows: [{ id: 1, a: 'x', b: 'y' }, { id: 4, a: 'x', b: 'y' }, { id: 5 }, { id: 6, a: 'x', b: 'y' }],
    refuses:
      /line 3: the record has 1 fields and not 3: with --ragged .+\n.+line 4: the record has 4 fields and/,
  },
  {
    title: 'ragged rows by option',
    content: 'id,a\n1\n2,x,y\n3,z\n',
    args: ['--ragged'],
    rows: [{ id: 1 }, { id: 2, a: 'x', column_3: 'y' }, { id: 3, a: 'z' }],
  },
];

const quotes: readonly MadeFile[] = [
  {
    title: 'doubled quotes and quoted delimiters',
    content: 'id,t\n1,"say ""hi"", you"\n2,""""\n',
    rows: [
      { id: 1, t: 'say "hi", you' },
      { id: 2, t: '"' },
    ],
  },
  {
    title: 'a lone quote in the middle',
    content: 'id,t\n1,5" pipe\n2,"a, b"\n3,x"\n',
    rows: [
      { id: 1, t: '5" pipe' },
      { id: 2, t: 'a, b' },
      { id: 3, t: 'x"' },
    ],
  },
  {
    title: 'quotes that are letters of tabular text',
    extension: 'tsv',
    content: 'id\tt\n1\t"hello\n2\tsaid "x" y\n3\t"bye" he said\n',
    rows: [
      { id: 1, t: '"hello' },
      { id: 2, t: 'said "x" y' },
      { id: 3, t: '"bye" he said' },
    ],
    says: /quotes are letters/,
  },
  {
    title: 'quotes that begin a text in two lines of tabular text',
    extension: 'tsv',
    content: 'id\tt\n1\t"hello\n2\tx"\n3\ty\n',
    rows: [
      { id: 1, t: '"hello' },
      { id: 2, t: 'x"' },
      { id: 3, t: 'y' },
    ],
    says: /quotes are letters/,
  },
  {
    title: 'quoted fields of tabular text',
    extension: 'tsv',
    content: 'id\tt\n1\t"a\tb"\n2\t"two\nlines"\n',
    rows: [
      { id: 1, t: 'a\tb' },
      { id: 2, t: 'two\nlines' },
    ],
  },
  {
    title: 'quotes that are letters by option',
    content: 'id,t\n1,"x"\n',
    args: ['--quote', 'none'],
    rows: [{ id: 1, t: '"x"' }],
  },
  {
    title: 'escaped quotes',
    content: 'id,t\n1,"say \\"hi, you\\" now"\n2,"C:\\new"\n',
    rows: [
      { id: 1, t: 'say "hi, you" now' },
      { id: 2, t: 'C:\\new' },
    ],
    says: /escape \\/,
  },
  {
    title: 'escaped delimiters by option, as MySQL writes',
    content: '1\ta\\\tb\t\\N\n2\tx\ty\n',
    extension: 'tsv',
    args: ['--escape', '\\', '--quote', 'none', '--no-header', '--null', '\\N', '--names', 'id,a,b'],
    rows: [
      { id: 1, a: 'a\tb' },
      { id: 2, a: 'x', b: 'y' },
    ],
  },
  {
    title: 'single quotes',
    content: "id,t\n1,'a, b'\n2,'it''s'\n",
    rows: [
      { id: 1, t: 'a, b' },
      { id: 2, t: "it's" },
    ],
    says: /quote '/,
  },
  {
    title: 'apostrophes that are letters',
    content: "id,t\n1,'tis so\n2,it's\n",
    rows: [
      { id: 1, t: "'tis so" },
      { id: 2, t: "it's" },
    ],
  },
  {
    title: 'single quotes by option',
    content: "id,t\n1,'x'\n",
    args: ['--quote', "'"],
    rows: [{ id: 1, t: 'x' }],
  },
  {
    title: 'blanks before quotes',
    content: 'id, t\n1, "a, b"\n2, "c"\n',
    rows: [
      { id: 1, t: 'a, b' },
      { id: 2, t: 'c' },
    ],
    says: /blanks behind delimiters skipped/,
  },
  {
    title: 'blanks behind delimiters by option',
    content: 'id, t\n1, x\n',
    args: ['--skip-initial-space'],
    rows: [{ id: 1, t: 'x' }],
  },
  {
    title: 'blanks that belong to texts',
    content: 'id,t\n1, x \n2,y\n',
    rows: [
      { id: 1, t: ' x ' },
      { id: 2, t: 'y' },
    ],
  },
  {
    title: 'text behind a closing quote',
    content: `id,t\n1,"x" y\n${[2, 3, 4, 5].map((id) => `${id},"a, b"\n`).join('')}`,
    rows: [2, 3, 4, 5].map((id) => ({ id, t: 'a, b' })),
    refuses: /line 2: the field 2 has text behind its closing "/,
  },
];

const marks: readonly MadeFile[] = [
  ...['NA', 'N/A', '#N/A', 'NULL', 'null', '\\N', 'None', 'NaN', '-', '.', '?', '""'].map((mark) => ({
    title: `${mark} among numbers`,
    content: `id,n\n1,5\n2,${mark}\n`,
    rows: [{ id: 1, n: 5 }, { id: 2 }],
    says: /stands for no value in n \(1\)/,
  })),
  {
    title: 'marks among dates and truth values',
    content: 'id,d,b\n1,2026-01-31,true\n2,NA,NA\n',
    rows: [{ id: 1, d: '2026-01-31', b: true }, { id: 2 }],
  },
  {
    title: 'NA as a text',
    content: 'id,land\n1,NA\n2,DE\n',
    rows: [
      { id: 1, land: 'NA' },
      { id: 2, land: 'DE' },
    ],
    says: /"NA" is a text in land \(1\); --null NA makes it no value everywhere/,
  },
  {
    title: 'marks by option',
    content: 'id,a,b\n1,none,-1\n2,x,""\n',
    args: ['--null', 'none,-1', '--null', '""'],
    rows: [{ id: 1 }, { id: 2, a: 'x' }],
  },
  {
    title: 'empty texts and empty fields',
    content: 'id,t\n1,""\n2,\n3,x\n',
    rows: [{ id: 1, t: '' }, { id: 2 }, { id: 3, t: 'x' }],
  },
  {
    title: 'a column of marks only beside another one',
    content: 'id,a,b\n1,NA,NA\n2,5,NA\n',
    rows: [{ id: 1 }, { id: 2, a: 5 }],
  },
];

const numbers: readonly MadeFile[] = [
  {
    title: 'numbers as statistics programs write them',
    content: 'id,n\n1,.097\n2,-.5\n3,5.\n4,+5\n5, 7\n6,1.5 \n',
    rows: [0.097, -0.5, 5, 5, 7, 1.5].map((n, at) => ({ id: at + 1, n })),
  },
  {
    title: 'the same numbers with their type',
    content: 'id,n\n1,.097\n2,-.5\n3,5.\n4,+5\n5, 7\n6,1e5\n',
    args: ['--columns', 'n:double'],
    rows: [0.097, -0.5, 5, 5, 7, 100000].map((n, at) => ({ id: at + 1, n })),
  },
  {
    title: 'exponents',
    content: 'id,n\n1,1e5\n2,2.5E-3\n',
    rows: [
      { id: 1, n: 100000 },
      { id: 2, n: 0.0025 },
    ],
  },
  {
    title: 'decimal commas and groups by option',
    content: 'id;n\n1;1.234,5\n2;-0,25\n3;12\n',
    args: ['--decimal', ',', '--thousands', '.'],
    rows: [
      { id: 1, n: 1234.5 },
      { id: 2, n: -0.25 },
      { id: 3, n: 12 },
    ],
  },
  {
    title: 'groups with commas by option',
    content: 'id,n\n1,"1,234.5"\n2,"12,34,567"\n3,7.25\n',
    args: ['--thousands', ','],
    rows: [
      { id: 1, n: 1234.5 },
      { id: 2, n: 1234567 },
      { id: 3, n: 7.25 },
    ],
  },
  {
    title: 'percent, leading zeros, telephone numbers and chapters, which stay texts',
    content: 'id,p,z,t,c\n1,5%,007,+4912345,1.\n2,7.5%,08,+4955,2.\n',
    rows: [
      { id: 1, p: '5%', z: '007', t: '+4912345', c: '1.' },
      { id: 2, p: '7.5%', z: '08', t: '+4955', c: '2.' },
    ],
  },
  {
    title: 'whole numbers of every size',
    content: 'id,a,b\n1,2147483647,9007199254740991\n2,-5,3000000000\n',
    rows: [
      { id: 1, a: 2147483647, b: 9007199254740991 },
      { id: 2, a: -5, b: 3000000000 },
    ],
  },
  {
    title: 'values that their declared types do not have',
    content:
      'id,d,n,u,b\n1,2026-01-31,5,018f0000-0000-7000-8000-000000000001,yes\n' +
      '2,yesterday,5,,no\n3,2026-02-30,,,\n4,,5.5,,\n5,,3000000000,,\n6,,,x,\n7,,,,maybe\n8,,7.0,,1\n',
    args: ['--columns', 'd:date,n:int,u:uuid,b:boolean'],
    rows: [
      { id: 1, d: '2026-01-31', n: 5, u: { uuid: '018f0000-0000-7000-8000-000000000001' }, b: true },
      { id: 8, n: 7, b: true },
    ],
    refuses: /line 3: .+\n.+line 4: .+\n.+line 5: .+\n.+line 6: .+\n.+line 7: .+\n.+line 8: /,
  },
];

const others: readonly MadeFile[] = [
  {
    title: 'every type',
    content:
      'id,b,n,d,t,u,s\n1,true,1.5,2026-01-31,2026-01-31 12:00,018f0000-0000-7000-8000-000000000001,é\n' +
      '2,FALSE,-2,2024-02-29,2026-01-31T12:00:00.5+01:00,018f0000-0000-7000-8000-000000000002,"x"\n',
    rows: [
      {
        ...{ id: 1, b: true, n: 1.5, d: '2026-01-31', t: { date: '2026-01-31T12:00:00.000Z' } },
        ...{ u: { uuid: '018f0000-0000-7000-8000-000000000001' }, s: 'é' },
      },
      {
        ...{ id: 2, b: false, n: -2, d: '2024-02-29', t: { date: '2026-01-31T11:00:00.500Z' } },
        ...{ u: { uuid: '018f0000-0000-7000-8000-000000000002' }, s: 'x' },
      },
    ],
  },
  {
    title: 'UTF-16 as "Unicode text" of Excel',
    extension: 'txt',
    content: Buffer.from(`\ufeff${joined('\t').replace('Bern', 'Zürich 😀')}`, 'utf16le'),
    args: ['--format', 'csv'],
    rows: [people[0] ?? {}, { ...people[1], town: 'Zürich 😀' }],
  },
  {
    title: 'UTF-16 with the high byte first',
    content: Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le').swap16(),
    rows: people,
  },
  {
    title: 'UTF-16 without a mark by option',
    content: Buffer.from(lines.join('\n'), 'utf16le'),
    args: ['--encoding', 'utf-16le'],
    rows: people,
  },
  {
    title: 'Latin-1 by option',
    content: Buffer.from('id,t\n1,caf\xe9 \x80\n', 'latin1'),
    args: ['--encoding', 'latin1'],
    rows: [{ id: 1, t: 'café €' }],
  },
  {
    title: 'Shift JIS by option',
    content: Buffer.concat([
      Buffer.from('id,t\n1,'),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      Buffer.from('\n'),
    ]),
    args: ['--encoding', 'shift_jis'],
    rows: [{ id: 1, t: '日本' }],
  },
  {
    title: 'control characters and half pairs in names',
    content: 'id,a\u001b[31mb\n1,x\n',
    rows: [{ id: 1, 'a\u001b[31mb': 'x' }],
    says: /\$'id:int,a\\u001b\[31mb:text'/,
  },
];

export const madeFiles: readonly MadeFile[] = [
  ...[lineEnds, delimiters, headers, widths, quotes, marks, numbers, others].flat(),
];

/** Files that are refused as a whole, before anything is created. */
export const refusedFiles: readonly (Pick<MadeFile, 'title' | 'content' | 'args'> & {
  readonly problem: RegExp;
})[] = [
  { title: 'an empty file', content: '', problem: /is empty: its first line must name the columns/ },
  {
    title: 'values in the first line',
    content: '1,Ann,2.5\n2,Bob,3.5\n',
    problem: /give --no-header if the first line is a row, or --header if it has the names/,
  },
  {
    title: 'lines before the names',
    content: 'Report of May\n\nid,a\n1,x\n2,y\n3,z\n',
    problem: /2 in 4 of 4 records, the first of them at line 3: give --skip-lines 2 if the names are there/,
  },
  {
    title: 'comments before the names',
    content: '# Report\nid,a\n1,x\n2,y\n3,z\n',
    problem: /give --comment '#', --skip-lines 1/,
  },
  {
    title: 'a quote that is not closed among others',
    content: `id,t\n${[1, 2, 3, 4, 5].map((id) => `${id},"a, b"\n`).join('')}6,"open\n7,x\n`,
    problem: /the record at line 7: its quote is not closed.+--quote none/,
  },
  {
    title: 'bytes of Latin-1',
    content: Buffer.from('id,t\n1,x\n2,caf\xe9\n', 'latin1'),
    problem: /line 3 is not UTF-8: give its encoding, such as --encoding latin1/,
  },
  {
    title: 'UTF-16 without a mark',
    content: Buffer.from('id,t\n1,x\n', 'utf16le'),
    problem: /looks like UTF-16 without a byte order mark: give --encoding utf-16le/,
  },
  {
    title: 'more names than columns',
    content: 'id,t\n1,x\n',
    args: ['--names', 'id'],
    problem: /has 2 columns, and --names has 1 names/,
  },
  {
    title: 'a type for a column that does not exist',
    content: 'id, t\n1,x\n',
    args: ['--columns', 't:text'],
    problem: /has no column "t"; its columns are: id," t"/,
  },
];
