// Reads the objects of a JSON file in any of the usual forms, and says where its text is wrong.
import { isJsonObject, type JsonObject } from '../foundation/json/json-value.js';
import { JsonSyntaxError, parseJson } from '../foundation/json/parse-json.js';
import { FileProblem } from './file-problem.js';
import { JsonScanner, type Scanned } from './json-scanner.js';

/** An object of a JSON file. */
export interface JsonRecord {
  /** In which it begins; the first line of the file has the number 1. */
  readonly line: number;
  readonly object: JsonObject;
  /** The text in the file. */
  readonly text: string;
}

/** Text in the place of an object. */
export interface JsonProblem {
  /** The place of the mistake. */
  readonly line: number;
  /** With the column, as `column 12: …`. */
  readonly problem: string;
}

/** Characters of an object: a row of an export has at most 33,554,432, and U+0001 and the like take six. */
const longestObject = 256 * 1024 * 1024;
const limits = { maxDepth: 1000, maxNumberLength: Number.POSITIVE_INFINITY };
/** This number of problems before the first object shows that the file is not JSON. */
const mostBeforeFirst = 1000;

/**
 * The objects in groups of those that are read at a time. They are the lines of the file, stand one behind another, or
 * are the elements of an array; each may have many lines. `name`: the file in messages.
 * @throws FileProblem with the line and column if an array has a mistake or the file has nothing but mistakes; with the
 *   line if an object is too long
 */
export async function* readJsonFile(
  pieces: AsyncIterable<string>,
  name: string,
): AsyncGenerator<readonly (JsonRecord | JsonProblem)[]> {
  const scanner = new JsonScanner();
  /** Mistakes are held until there is an object. */
  let held: readonly JsonProblem[] | undefined = [];
  const checked = (found: readonly Scanned[]): readonly (JsonRecord | JsonProblem)[] => {
    const records = found.map(recordOf);
    const wrong = scanner.isArray ? records.find(isWrong) : undefined;
    if (wrong !== undefined) throw problemIn(name, wrong, 'the array cannot be read beyond that');
    if (held === undefined) return records;
    const all = [...held, ...records];
    const mistakes = all.filter(isWrong);
    const isJson = mistakes.length < all.length;
    held = isJson ? undefined : mistakes;
    if (mistakes.length >= mostBeforeFirst) expectNone(name, held);
    return isJson ? all : [];
  };
  for await (const piece of pieces) {
    yield checked(scanner.add(piece));
    if (scanner.openLength > longestObject)
      throw new FileProblem(
        `${name} line ${scanner.openLine}: an object has more than ${longestObject} characters; is a bracket missing?`,
      );
  }
  yield checked(scanner.end());
  expectNone(name, held);
}

/** @throws FileProblem with the first mistake of a file that has no objects */
function expectNone(name: string, mistakes: readonly JsonProblem[] | undefined): void {
  const [first] = mistakes ?? [];
  if (first !== undefined)
    throw problemIn(
      name,
      first,
      'the file has no JSON objects, which stand in lines, one behind another, or in an array',
    );
}

function isWrong(record: JsonRecord | JsonProblem): record is JsonProblem {
  return 'problem' in record;
}

function problemIn(name: string, { line, problem }: JsonProblem, consequence: string): FileProblem {
  return new FileProblem(`${name} line ${line}, ${problem}; ${consequence}`);
}

function recordOf(found: Scanned): JsonRecord | JsonProblem {
  const { line, column } = found;
  if ('problem' in found) return { line, problem: `column ${column}: ${found.problem}` };
  try {
    const value = parseJson(found.text, limits);
    return isJsonObject(value)
      ? { line, object: value, text: found.text }
      : { line, problem: `column ${column}: not an object` };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const before = found.text.slice(0, error.at ?? 0).split(/\r\n|\r|\n/);
    const lines = before.length - 1;
    const at = (before[lines]?.length ?? 0) + (lines === 0 ? column : 1);
    // The position in the object says nothing to those who look at the file.
    const problem = error.message.replace(/ \(position \d+\)/, '');
    return { line: line + lines, problem: `column ${at}: ${problem}` };
  }
}
