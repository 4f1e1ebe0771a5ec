// A choice between few values, side by side.

/** The choice. */
export function Segments<Value extends string>(props: {
  readonly label: string;
  readonly choices: readonly Value[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <fieldset class="segments">
      <legend class="hidden-label">{props.label}</legend>
      {props.choices.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={props.chosen === name}
          onClick={() => {
            if (name !== props.chosen) props.onChoose(name);
          }}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
