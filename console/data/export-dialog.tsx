// Saves rows or documents as a file: those that are shown, or all that match.
import { useEffect, useState } from 'preact/hooks';
import { type JsonObject, memberAt, writeJson } from '../json/exact-json.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Dialog } from '../parts/dialog.js';
import { CheckField, SelectField } from '../parts/field.js';
import { FailureNotice } from '../parts/notice.js';
import { saveFile } from '../state/save-file.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { type Command, documentsOf, sendCommand } from './command.js';
import { nextPage, type PageStart, type RowsQuery, withAllMembers } from './find-command.js';
import { type FileFormat, fileFormats, fileParts, insertableDocument } from './result-files.js';
import { columnsOf, type Item } from './schema.js';
import type { Rows } from './use-rows.js';

/** Beyond these `colonnade export` is the better way: a tab holds the whole file in memory. */
const mostExported = 100_000;
const mostCharacters = 128 * 1024 * 1024;

interface Props {
  readonly item: Item;
  readonly rows: Rows;
  readonly commandAt: (start?: PageStart) => Command | string;
  readonly onClose: () => void;
}

/** What is chosen in the form. */
interface Choice {
  readonly format: FileFormat;
  readonly escapesFormulas: boolean;
  readonly wantsAll: boolean;
}

/** Shows the form. */
export function ExportDialog({ item, rows, commandAt, onClose }: Props) {
  const [choice, setChoice] = useState<Choice>({
    format: 'CSV',
    escapesFormulas: false,
    wantsAll: rows.hasMore,
  });
  const [readCount, setReadCount] = useState(0);
  const { running, failure, run, stop } = useTask();
  useEffect(() => stop, []);
  const thing = item.kind === 'table' ? 'row' : 'document';
  const save = () =>
    run('save', async (signal) => {
      const most = choice.wantsAll ? mostExported : rows.rows.length;
      // The grid has no vectors of documents, nor the texts that they were made of: they are read again.
      const isRead = choice.wantsAll || item.kind === 'collection';
      const found =
        isRead && rows.query !== undefined
          ? await readPages({ commandAt, query: rows.query, most, onRead: setReadCount }, signal)
          : { rows: rows.rows, isWhole: true };
      saveRows(item, found.rows, choice);
      const count = counted(found.rows.length, thing);
      const isWhole = found.isWhole || !choice.wantsAll;
      showToast(isWhole ? `Saved ${count}.` : `Saved the first ${count}: there are more.`);
      return onClose;
    });
  return (
    <Dialog
      title={`Export ${thing}s`}
      onClose={onClose}
      onSubmit={() => void save()}
      message={failure !== undefined && <FailureNotice failure={failure} />}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={running !== undefined}>
            {running !== undefined && readCount > 0 ? `Read ${readCount.toLocaleString()}…` : 'Save the file'}
          </Button>
        </>
      }
    >
      <Fields rows={rows} thing={thing} choice={choice} onChange={setChoice} />
    </Dialog>
  );
}

/** Members of documents have no declared types, unlike columns, so an import of CSV has to guess them. */
const typesNote =
  'An import of CSV guesses types, and takes the text "12" for a number. NDJSON keeps all types.';

function Fields(props: {
  readonly rows: Rows;
  readonly thing: string;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}) {
  const { rows, thing, choice, onChange } = props;
  const shown = counted(rows.rows.length, thing);
  return (
    <>
      <SelectField
        label="Format"
        value={choice.format}
        choices={Object.keys(fileFormats)}
        hint={
          choice.format === 'CSV'
            ? `Lists, objects and vectors are JSON in their fields. ${thing === 'row' ? '' : typesNote}`
            : 'One JSON object a line, with all digits of numbers.'
        }
        onChange={(name) => onChange({ ...choice, format: name === 'CSV' ? 'CSV' : 'NDJSON' })}
      />
      {rows.hasMore ? (
        <SelectField
          label="What"
          value={choice.wantsAll ? 'all' : 'shown'}
          choices={[
            { value: 'all', label: `All that match, up to ${mostExported.toLocaleString()}` },
            { value: 'shown', label: `The ${shown} that are loaded` },
          ]}
          hint="For more, use colonnade export."
          onChange={(value) => onChange({ ...choice, wantsAll: value === 'all' })}
        />
      ) : (
        <p>{`The file has the ${shown} that ${rows.rows.length === 1 ? 'is' : 'are'} shown.`}</p>
      )}
      {choice.format === 'CSV' && (
        <CheckField
          label="Mark texts that a spreadsheet would run as formulas with '"
          isChecked={choice.escapesFormulas}
          onChange={(escapesFormulas) => onChange({ ...choice, escapesFormulas })}
        />
      )}
    </>
  );
}

function saveRows(item: Item, rows: readonly JsonObject[], { format, escapesFormulas }: Choice): void {
  const columns = item.kind === 'table' ? columnsOf(item.definition).map(({ name }) => name) : ['_id'];
  const parts = fileParts(format, { rows, columns, escapesFormulas });
  saveFile(`${item.name}.${format.toLowerCase()}`, fileFormats[format], parts);
}

interface Reading {
  readonly commandAt: Props['commandAt'];
  readonly query: RowsQuery;
  readonly most: number;
  readonly onRead: (count: number) => void;
}

/** Reads the first rows, whole ones, page after page. @throws RequestFailure, or the reason of `signal` */
async function readPages({ commandAt, query, most, onRead }: Reading, signal: AbortSignal) {
  const rows: JsonObject[] = [];
  let characters = 0;
  let start: PageStart | undefined;
  do {
    const command = commandAt(start);
    if (typeof command === 'string') throw new Error(command);
    const reply = await sendCommand(withAllMembers(command), signal);
    const found = documentsOf(reply);
    rows.push(...found.map(insertableDocument));
    characters += found.reduce((sum, row) => sum + writeJson(row).length, 0);
    onRead(rows.length);
    const state = memberAt(reply.data, 'nextPageState');
    start = nextPage(query, { state, rows: found.length, shown: rows.length });
  } while (start !== undefined && rows.length < most && characters < mostCharacters);
  return { rows: rows.slice(0, most), isWhole: start === undefined && rows.length <= most };
}
