// The choice of a file of rows.

/** The field. */
export function FileInput(props: {
  readonly isDisabled: boolean;
  readonly onChoose: (file: File | undefined) => void;
}) {
  return (
    <label class="field">
      <span>CSV, NDJSON or JSON, also compressed by gzip</span>
      <input
        class="input"
        type="file"
        disabled={props.isDisabled}
        onChange={(event) => props.onChoose(event.currentTarget.files?.[0])}
      />
    </label>
  );
}
