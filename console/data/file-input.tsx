// The choice of a file of rows, and of how it is written.
import { FileOptions } from './file-options.js';
import type { FileChoices, InspectedFile } from './source-file.js';

interface Props {
  readonly file: File | undefined;
  readonly choices: FileChoices;
  readonly inspected: InspectedFile | undefined;
  /** Gets undefined if the choice was taken back. */
  readonly onChoose: (file: File | undefined) => void;
  readonly onChange: (choices: FileChoices) => void;
}

/** Shows the field, and behind a chosen file the options of its form. */
export function FileInput({ file, choices, inspected, onChoose, onChange }: Props) {
  return (
    <>
      <label class="field">
        <span>CSV, NDJSON or JSON, also compressed by gzip or zstd</span>
        <input class="input" type="file" onChange={(event) => onChoose(event.currentTarget.files?.[0])} />
      </label>
      {file !== undefined && (
        <FileOptions choices={choices} isCsv={inspected?.format !== 'ndjson'} onChange={onChange} />
      )}
    </>
  );
}
