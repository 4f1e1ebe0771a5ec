// The tokenizers that definitions can name.
import { InvalidAnalyzer, type Tokenizer } from './analyzer.js';
import { type Component, integerArgument } from './component.js';
import { javaSpace } from './java-space.js';
import { pieceEnd, segmentWords } from './word-segments.js';

/** Longer tokens are cut into pieces. */
const longestToken = { least: 1, most: 1_048_576, fallback: 255 } as const;
const gramSize = { least: 1, most: 50 } as const;

const noLetters = /\P{L}+/u;

/** The tokenizers, in the order of messages. */
export const tokenizers: readonly Component<Tokenizer>[] = [
  {
    name: 'standard',
    takes: ['maxTokenLength'],
    make: (given) => {
      const longest = integerArgument(given, 'maxTokenLength', longestToken);
      return tokenizer((text) => segmentWords(text, longest));
    },
  },
  splitting('whitespace', javaSpace),
  splitting('letter', noLetters),
  { name: 'keyword', takes: [], make: () => tokenizer((text) => [text]) },
  {
    name: 'ngram',
    takes: ['minGramSize', 'maxGramSize'],
    make: (given) => {
      const least = integerArgument(given, 'minGramSize', { ...gramSize, fallback: 3 });
      const most = integerArgument(given, 'maxGramSize', { ...gramSize, fallback: 7 });
      if (least > most)
        throw new InvalidAnalyzer(`the argument "minGramSize" (${least}) is above "maxGramSize" (${most})`);
      return { tokensPerCharacter: most - least + 1, split: (text) => ngrams(text, least, most) };
    },
  },
];

function tokenizer(split: Tokenizer['split']): Tokenizer {
  return { tokensPerCharacter: 1, split };
}

/** A tokenizer that removes the separators. */
function splitting(name: string, separators: RegExp): Component<Tokenizer> {
  return {
    name,
    takes: ['maxTokenLen'],
    make: (given) => {
      const longest = integerArgument(given, 'maxTokenLen', longestToken);
      return tokenizer((text) => text.split(separators).flatMap((token) => pieces(token, longest)));
    },
  };
}

function pieces(token: string, longest: number): string | readonly string[] {
  if (token.length <= longest) return token;
  const cut: string[] = [];
  for (let at = 0; at < token.length; ) {
    const end = pieceEnd(token, at, longest);
    cut.push(token.slice(at, end));
    at = end;
  }
  return cut;
}

/** All parts of the text with `least` to `most` characters, by their first character. */
function ngrams(text: string, least: number, most: number): readonly string[] {
  const characters = [...text];
  const grams: string[] = [];
  for (let at = 0; at + least <= characters.length; at += 1) {
    let gram = characters.slice(at, at + least - 1).join('');
    for (let size = least; size <= most && at + size <= characters.length; size += 1) {
      gram += characters[at + size - 1] ?? '';
      grams.push(gram);
    }
  }
  return grams;
}
