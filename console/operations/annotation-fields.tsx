// The annotations in the form of a rule: names and texts that every notice contains.
import { Button } from '../parts/button.js';
import { TextArea, TextField } from '../parts/field.js';

/** A name and its text. */
export type AnnotationRow = readonly [name: string, text: string];

/** Names that receivers know. */
const usualNames: readonly string[] = ['summary', 'description', 'runbook', 'runbook_url', 'team'];

/** The rows as the text that the form keeps. */
export function annotationsText(rows: readonly AnnotationRow[]): string {
  return JSON.stringify(rows);
}

/** The rows of such a text, or of an empty one. */
export function annotationRows(text: string): readonly AnnotationRow[] {
  // Only `annotationsText` writes it.
  return JSON.parse(text === '' ? '[]' : text) as readonly AnnotationRow[];
}

/** The name that two rows have, without the spaces around it; undefined if each row has its own. */
export function repeatedName(rows: readonly AnnotationRow[]): string | undefined {
  return rows.find((_, at) => isRepeated(rows, at))?.[0].trim();
}

function isRepeated(rows: readonly AnnotationRow[], at: number): boolean {
  const name = rows[at]?.[0].trim() ?? '';
  return name !== '' && rows.slice(0, at).some(([other]) => other.trim() === name);
}

/** A row for each annotation. */
export function AnnotationFields(props: {
  readonly legend: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const rows = annotationRows(props.text);
  const set = (changed: readonly AnnotationRow[]) => props.onChange(annotationsText(changed));
  const setRow = (at: number, row: AnnotationRow) => set(rows.with(at, row));
  return (
    <fieldset class="form">
      <legend class="muted">{props.legend}</legend>
      {rows.map(([name, text], at) => (
        <div class="form-row" key={at}>
          <TextField
            label="Annotation"
            value={name}
            suggestions={usualNames}
            problem={isRepeated(rows, at) ? `Another annotation is named ${name.trim()}.` : undefined}
            onChange={(changed) => setRow(at, [changed, text])}
          />
          <TextArea
            label="Text"
            isWide
            rows={2}
            value={text}
            onChange={(changed) => setRow(at, [name, changed])}
          />
          <Button
            icon="trash"
            label={`Remove the annotation ${name}`}
            onPress={() => set(rows.filter((_, other) => other !== at))}
          />
        </div>
      ))}
      <div class="button-row">
        <Button icon="plus" onPress={() => set([...rows, [rows.length === 0 ? 'summary' : '', '']])}>
          Add an annotation
        </Button>
      </div>
    </fieldset>
  );
}
