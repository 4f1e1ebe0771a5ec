// The choice of a file of rows.

/** Shows the field. `onChoose` gets undefined if the choice was taken back. */
export function FileInput(props: { readonly onChoose: (file: File | undefined) => void }) {
  return (
    <label class="field">
      <span>CSV, NDJSON or JSON, also compressed by gzip or zstd</span>
      <input class="input" type="file" onChange={(event) => props.onChoose(event.currentTarget.files?.[0])} />
    </label>
  );
}
