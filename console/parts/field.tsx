// Labelled inputs of forms.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldFrame {
  readonly label: string;
  /** One sentence below the input. */
  readonly hint?: ComponentChildren;
  /** A type or a unit, which stands behind the label. */
  readonly note?: string;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  /** Shows the label to assistive technology only: the place says what it is. */
  readonly isLabelHidden?: boolean;
  /** On phones it has a row of its own. */
  readonly isWide?: boolean;
}

/** A line of text. */
export interface TextFieldProps extends FieldFrame {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'datetime-local';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  /** The value can be selected and copied. */
  readonly isReadOnly?: boolean;
  readonly autoComplete?: string;
  readonly name?: string;
  /** Values to choose from; others can be typed. */
  readonly suggestions?: readonly string[];
  /** The distance of two values of a time or a number: a time has seconds with 1. */
  readonly step?: number;
  readonly isCode?: boolean;
}

/** An input for one line. */
export function TextField(props: TextFieldProps) {
  const id = useId();
  const { suggestions = [] } = props;
  // The types of attributes are one for each type of input: any one of them stands for all.
  const type = (props.type ?? 'text') as 'text';
  return (
    <Frame {...props} id={id}>
      <input
        id={id}
        class={props.isCode === true ? 'input code' : 'input'}
        type={type}
        {...(suggestions.length === 0 ? {} : { list: `${id}-list` })}
        name={props.name}
        step={props.step}
        value={props.value}
        placeholder={props.placeholder}
        dir="auto"
        required={props.isRequired}
        disabled={props.isDisabled}
        readOnly={props.isReadOnly}
        autoComplete={props.autoComplete ?? 'off'}
        spellcheck={false}
        aria-invalid={props.problem === undefined ? undefined : true}
        aria-describedby={describedBy(id, props)}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </Frame>
  );
}

/** Several lines of text, or one to begin with: Enter then sends the form until the text has a line break. */
export function TextArea(
  props: FieldFrame & {
    readonly value: string;
    readonly onChange: (value: string) => void;
    /** With 1, Shift and Enter make the first line break. */
    readonly rows?: number;
    readonly isCode?: boolean;
    readonly isDisabled?: boolean;
    readonly isReadOnly?: boolean;
    readonly placeholder?: string;
  },
) {
  const id = useId();
  return (
    <Frame {...props} id={id}>
      <textarea
        id={id}
        class={props.isCode === true ? 'input code' : 'input'}
        rows={props.rows ?? 4}
        value={props.value}
        placeholder={props.placeholder}
        dir="auto"
        disabled={props.isDisabled}
        readOnly={props.isReadOnly}
        spellcheck={false}
        aria-invalid={props.problem === undefined ? undefined : true}
        aria-describedby={describedBy(id, props)}
        onInput={(event) => props.onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (props.rows === 1 && !props.value.includes('\n')) sendByEnter(event);
        }}
      />
    </Frame>
  );
}

/** Enter presses the button of the form, as it does in an input. */
function sendByEnter(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  // The key that opened the form is perhaps still held.
  if (event.repeat) return;
  event.currentTarget.form?.querySelector<HTMLButtonElement>('button[type=submit]')?.click();
}

/** One of several values. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Neighbours with the same group stand below its name. */
  readonly group?: string;
}

/** A list to choose one value from. */
export function SelectField(
  props: FieldFrame & {
    readonly value: string;
    readonly choices: readonly (Choice | string)[];
    readonly onChange: (value: string) => void;
    readonly isDisabled?: boolean;
  },
) {
  const id = useId();
  return (
    <Frame {...props} id={id}>
      <select
        id={id}
        class="input"
        value={props.value}
        disabled={props.isDisabled}
        aria-describedby={describedBy(id, props)}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {groupsOf(props.choices).map(({ group, choices }, at) =>
          group === undefined ? (
            choices.map(optionOf)
          ) : (
            <optgroup key={at} label={group}>
              {choices.map(optionOf)}
            </optgroup>
          ),
        )}
      </select>
    </Frame>
  );
}

function optionOf({ value, label }: Choice) {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  );
}

/** The choices in groups: neighbours that name the same group are together. */
function groupsOf(choices: readonly (Choice | string)[]) {
  const groups: { readonly group: string | undefined; readonly choices: Choice[] }[] = [];
  for (const given of choices) {
    const choice: Choice = typeof given === 'string' ? { value: given, label: given } : given;
    const last = groups.at(-1);
    if (last !== undefined && last.group === choice.group) last.choices.push(choice);
    else groups.push({ group: choice.group, choices: [choice] });
  }
  return groups;
}

/** A box to tick. */
export function CheckField(props: {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isChecked}
        disabled={props.isDisabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}

function Frame({
  id,
  label,
  note,
  hint,
  problem,
  isLabelHidden,
  isWide,
  children,
}: FieldFrame & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class={isWide === true ? 'field wide' : 'field'}>
      <label for={id} class={isLabelHidden === true ? 'hidden-label' : undefined}>
        {label} {note !== undefined && <code class="note">{note}</code>}
      </label>
      {children}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function describedBy(id: string, { hint, problem }: FieldFrame): string | undefined {
  const ids = [
    problem === undefined ? [] : [`${id}-problem`],
    hint === undefined ? [] : [`${id}-hint`],
  ].flat();
  return ids.length === 0 ? undefined : ids.join(' ');
}
