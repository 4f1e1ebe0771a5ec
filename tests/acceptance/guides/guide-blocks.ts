// Reads the code blocks of a document with the marks before them.

/** A fenced block. */
export interface GuideBlock {
  readonly language: string;
  readonly content: string;
  /** The words of the HTML comment directly before it: `file: x.mjs`, `background`, `not run: the reason`. */
  readonly mark: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

const fence = /^(`{3,})(\w*)\n([\s\S]*?)\n\1$/gm;
const markBefore = /<!--\s*([^>]*?)\s*-->\n$/;

/** All blocks, in order. */
export function readBlocks(text: string): readonly GuideBlock[] {
  return [...text.matchAll(fence)].map(({ index, 2: language = '', 3: content = '' }) => {
    const before = text.slice(0, index);
    return {
      language,
      content: `${content}\n`,
      mark: markBefore.exec(before)?.[1] ?? '',
      line: before.split('\n').length,
    };
  });
}

/** The parts of a mark: `file: a.py, needs: astrapy`. */
export function markPart(block: GuideBlock, name: string): string | undefined {
  const part = block.mark.split(/,\s*(?=\w+:)/).find((given) => given.startsWith(`${name}:`));
  return part?.slice(name.length + 1).trim();
}
