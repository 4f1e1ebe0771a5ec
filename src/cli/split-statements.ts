// Splits a text into statements of the native query language.

/** What holds no semicolon of the language: strings, quoted names, comments; then semicolons, then anything. */
const pieces =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\$[\s\S]*?\$\$|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|;|[\s\S]/g;

/** The statements between semicolons, as they were written; parts of only spaces and comments are omitted. */
export function splitStatements(text: string): readonly string[] {
  const statements: string[] = [];
  let statement = '';
  let isEmpty = true;
  const end = () => {
    if (!isEmpty) statements.push(statement.trim());
    statement = '';
    isEmpty = true;
  };
  for (const [piece] of text.matchAll(pieces)) {
    if (piece === ';') {
      end();
      continue;
    }
    statement += piece;
    if (!/^(\s|--|\/\/|\/\*)/.test(piece)) isEmpty = false;
  }
  end();
  return statements;
}
