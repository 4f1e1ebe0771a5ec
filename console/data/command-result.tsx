// The reply to a command that was typed, whole or its beginning, and ways to save it.

import { shortened } from '../../src/foundation/text/shorten-text.js';
import { type Json, memberAt, writeJson } from '../json/exact-json.js';
import { Button } from '../parts/button.js';
import { CodeBlock } from '../parts/code-block.js';
import { CopyButton } from '../parts/copy-button.js';
import { counted } from '../parts/counted.js';
import { Notice } from '../parts/notice.js';
import { saveFile } from '../state/save-file.js';
import { documentsIn, errorsIn } from './command.js';
import { type FileFormat, fileFormats, fileParts } from './result-files.js';

/** A reply, with what it is called in files. */
export interface Result {
  readonly name: string;
  readonly reply: Json;
  /** The reply as it is shown. It is made once: the editor draws the result again with each key. */
  readonly text: string;
  readonly tookMs: number;
}

/** Makes a result of a reply. */
export function resultOf(name: string, reply: Json, tookMs: number): Result {
  return { name, reply, text: withoutBreaks(writeJson(reply, 2)), tookMs };
}

/** A longer reply is shown up to here: it can be saved whole. */
const shownCharacters = 100_000;

/** Shows a reply. */
export function CommandResult({ name, reply, text, tookMs }: Result) {
  const [error] = errorsIn(reply);
  const documents = documentsIn(memberAt(reply, 'data'));
  const isCut = text.length > shownCharacters;
  const saveAs = (format: FileFormat) =>
    saveFile(
      `${name}.${format.toLowerCase()}`,
      fileFormats[format],
      fileParts(format, { rows: documents, columns: [], escapesFormulas: false }),
    );
  return (
    <section class="stack" aria-label="Result">
      <header class="page-head">
        <h2>Result</h2>
        <div class="button-row">
          <CopyButton text={text} />
          <Button icon="download" onPress={() => saveFile(`${name}.json`, 'application/json', [text])}>
            JSON
          </Button>
          {documents.length > 0 &&
            (['CSV', 'NDJSON'] as const).map((format) => (
              <Button key={format} icon="download" onPress={() => saveAs(format)}>
                {format}
              </Button>
            ))}
        </div>
      </header>
      {error !== undefined && (
        <Notice kind="error" title={error.title === '' ? error.message : error.title}>
          {error.title !== '' && <p class="lines">{error.message}</p>}
          <p class="notice-foot">
            <code>{error.code}</code>
          </p>
        </Notice>
      )}
      <p class="muted" role="status">
        {documents.length > 0 && `${counted(documents.length, 'document')}, `}
        {`${Math.max(1, Math.round(tookMs))} ms`}
        {isCut && `, the first ${counted(shownCharacters, 'character')} of ${text.length.toLocaleString()}`}
        {typeof memberAt(reply, 'data', 'nextPageState') === 'string' && ', and there is a next page'}
      </p>
      <CodeBlock text={shortened(text, shownCharacters)} kind="result" />
    </section>
  );
}

/** Lists of numbers, as vectors, in one line. Texts of JSON have no line breaks, so nothing else is matched. */
function withoutBreaks(text: string): string {
  return text.replaceAll(
    /\[\n\s+(-?\d[^\s,\]]*(?:,\n\s+-?\d[^\s,\]]*)*)\n\s+\]/g,
    (_, inner: string) => `[${inner.replaceAll(/,\n\s+/g, ', ')}]`,
  );
}
