// Edits JSON. The editor is loaded when it is first needed; until then, and where it cannot be loaded, a text field.
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { jsonProblem } from '../json/json-problem.js';
import type { OpenEditor } from './code-mirror.js';
import { partOf, usePart } from './use-part.js';

const codeMirror = partOf(() => import('./code-mirror.js'));

/** An editor with a label; `value` may be changed from outside, and where it is read only, from there alone. */
export function JsonEditor(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isReadOnly?: boolean;
}) {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { code } = usePart(codeMirror);
  useEffect(() => {
    if (code === undefined || host.current === null) return undefined;
    const { label, value, isReadOnly = false } = latest.current;
    const isInUse = document.activeElement?.id === id;
    const opened = code.openEditor(host.current, {
      label,
      value,
      isReadOnly,
      onChange: (text) => latest.current.onChange(text),
    });
    editor.current = opened;
    if (isInUse) opened.focus();
    return () => opened.close();
  }, [code]);
  // The editor gets it at once: after the next paint it can be older than what was typed, and both would take turns.
  useLayoutEffect(() => editor.current?.show(props.value), [props.value]);
  const problem = jsonProblem(props.value);
  return (
    <div class="field json-editor">
      <label for={id}>{props.label}</label>
      <div ref={host} class="editor-host" />
      {code === undefined && (
        <textarea
          id={id}
          class="input code"
          rows={12}
          value={props.value}
          readOnly={props.isReadOnly}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
      {problem !== undefined && <p class="problem">{problem}</p>}
    </div>
  );
}
