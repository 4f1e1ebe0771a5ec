// Folds long lists of numbers in the editor: a vector takes one line, and opens with a press.
import { codeFolding, ensureSyntaxTree, foldEffect, foldGutter, foldKeymap } from '@codemirror/language';
import type { EditorState, Extension, StateEffect } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';

/** Shorter lists stay open. */
const fewestFolded = 8;
/** The parser stops after this time; lists that it has not reached in a large text stay open. */
const parseMs = 100;

/** The folds, their column at the left, and their keys. */
export function folding(): Extension {
  return [
    codeFolding({
      preparePlaceholder: (state, { from, to }) => {
        const count = state.sliceDoc(from, to).split(',').length;
        return isNumbers(state.sliceDoc(from, to)) ? `${count.toLocaleString()} numbers` : '…';
      },
      placeholderDOM: (_, onClick, words: unknown) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'cm-foldPlaceholder';
        button.textContent = String(words);
        button.title = 'Show them';
        button.onclick = onClick;
        return button;
      },
    }),
    foldGutter(),
    keymap.of(foldKeymap),
  ];
}

/** Folds the long lists of numbers that the text has now. */
export function foldNumbers(view: EditorView): void {
  const effects = longLists(view.state).map((range): StateEffect<unknown> => foldEffect.of(range));
  if (effects.length > 0) view.dispatch({ effects });
}

function longLists(state: EditorState): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  ensureSyntaxTree(state, state.doc.length, parseMs)?.iterate({
    enter: ({ name, from, to, node }) => {
      if (name !== 'Array' || node.getChildren('Number').length < fewestFolded) return;
      if (isNumbers(state.sliceDoc(from + 1, to - 1))) found.push({ from: from + 1, to: to - 1 });
    },
  });
  return found;
}

function isNumbers(text: string): boolean {
  return /^[\s\d.,eE+-]+$/.test(text);
}
