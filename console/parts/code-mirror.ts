// CodeMirror for JSON. It lives in a shadow root: there it uses constructed style sheets, which the
// Content-Security-Policy allows, in place of style elements, which it does not.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { Annotation, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { folding, foldNumbers } from './folded-numbers.js';

/** An editor on the page. */
export interface OpenEditor {
  /** Replaces the text when it differs. */
  show(text: string): void;
  focus(): void;
  close(): void;
}

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: [tags.bool, tags.null], color: 'var(--word)' },
]);

const look = EditorView.theme({
  '&': { fontSize: '12.5px', color: 'var(--text)', backgroundColor: 'var(--surface)', maxHeight: '46vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--code)', overflow: 'auto', minHeight: '180px' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--chosen) !important',
  },
  '.cm-foldGutter': { cursor: 'pointer' },
  '.cm-foldPlaceholder': {
    margin: '0 4px',
    padding: '0 6px',
    color: 'var(--text)',
    backgroundColor: 'var(--sunken)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    font: 'inherit',
  },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--surface)', borderColor: 'var(--line)' },
});

/** No key changes the text, and no form counts it as typed in; the keyboard still reaches, selects and copies it. */
const readOnly = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true', tabindex: '0' }),
];

/** Marks a change that comes from outside: nobody typed it. */
const shownText = Annotation.define<boolean>();

/** Opens an editor in an empty element. Tab leaves it, as every field. */
export function openEditor(
  host: HTMLElement,
  {
    label,
    value,
    isReadOnly,
    onChange,
  }: { label: string; value: string; isReadOnly: boolean; onChange: (text: string) => void },
): OpenEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: value,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        folding(),
        json(),
        linter(jsonParseLinter()),
        syntaxHighlighting(highlight),
        look,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        isReadOnly ? readOnly : [],
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => {
          const isTyped = update.transactions.some((one) => one.annotation(shownText) === undefined);
          if (update.docChanged && isTyped) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  foldNumbers(view);
  return {
    show: (text) => {
      const { doc } = view.state;
      if (doc.toString() === text) return;
      const changes = { from: 0, to: doc.length, insert: text };
      view.dispatch({ changes, annotations: shownText.of(true) });
      foldNumbers(view);
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}
