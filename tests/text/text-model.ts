// What a text index must find: a model in memory, with the score from the formula of the specification.

const [k1, b] = [1.2, 0.75];

/** Rows by their ids; null for a row without a text. Texts are words in lower case with spaces between them. */
export type TextRows = ReadonlyMap<number, string | null>;

/** The ids of the rows with all words, in the order of the ids; none without words. */
export function matching(rows: TextRows, search: string): readonly number[] {
  const wanted = wordsOf(search);
  const ids = [...rows].filter(([, text]) => {
    const words = new Set(wordsOf(text));
    return wanted.length > 0 && wanted.every((word) => words.has(word));
  });
  return ids.map(([id]) => id).sort((left, right) => left - right);
}

/** The ids that are found, best first: by score, then by id. */
export function ranked(rows: TextRows, search: string): readonly number[] {
  const scored = [...scores(rows, search)].map(([id, score]) => ({ id, score }));
  return scored.sort((left, right) => right.score - left.score || left.id - right.id).map(({ id }) => id);
}

/** The scores of these ids. */
export function scores(rows: TextRows, search: string): ReadonlyMap<number, number> {
  const texts = [...rows.values()].filter((text) => text !== null).map(wordsOf);
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  const weightOf = (word: string) => {
    const having = texts.filter((words) => words.includes(word)).length;
    return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
  };
  const scoreOf = (id: number) => {
    const words = wordsOf(rows.get(id) ?? null);
    const parts = wordsOf(search).map((word) => {
      const count = words.filter((each) => each === word).length;
      return (weightOf(word) * count) / (count + k1 * (1 - b + (b * words.length) / average));
    });
    return Math.fround(parts.reduce((sum, part) => sum + part, 0));
  };
  return new Map(matching(rows, search).map((id) => [id, scoreOf(id)]));
}

function wordsOf(text: string | null): readonly string[] {
  return (text ?? '').split(' ').filter((word) => word !== '');
}
