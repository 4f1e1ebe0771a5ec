// Inserts, shows, changes and deletes one row or document, by form or as JSON.

import { useState } from 'preact/hooks';
import { isTypedAsText } from '../../src/descriptions/type-description.js';
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  parseJson,
  writeJson,
} from '../json/exact-json.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { CodeBlock } from '../parts/code-block.js';
import { TextArea, TextField } from '../parts/field.js';
import { JsonEditor } from '../parts/json-editor.js';
import { Segments } from '../parts/segments.js';
import { changeQuery, place } from '../state/url-state.js';
import type { Command, Target } from './command.js';
import { CommandDialog } from './command-dialog.js';
import { typedText, typedValue } from './find-command.js';
import { useInsertAttempts } from './insert-attempts.js';
import { InsertWays } from './insert-ways.js';
import { changeCommand, deleteCommand, identityOf, insertCommand, isDocument } from './row-changes.js';
import { doubtOf } from './row-doubts.js';
import { type Column, columnsOf, type Item } from './schema.js';

/** The form of a row or document; without one it inserts. */
export interface RowEditorProps {
  readonly item: Item;
  readonly target: Target;
  /** The row as the form edits it. */
  readonly row: JsonObject | undefined;
  /** The form shows this text below its fields. */
  readonly note?: string | undefined;
  /** Searches for what is like this row. */
  readonly onSimilar?: (() => void) | undefined;
  /** A part of a list was inserted; the form stays open. */
  readonly onStored?: (() => void) | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The words of the dialog. */
const words = {
  insert: { title: 'Insert a', action: 'Insert', done: 'Inserted the' },
  edit: { title: 'Edit a', action: 'Save', done: 'Saved the' },
  delete: { title: 'Delete this', action: 'Delete', done: 'Deleted the' },
} as const;

/** Shows the form in a dialog. */
export function RowEditor(props: RowEditorProps) {
  const { item, target, row, note, onSimilar, onDone, onClose } = props;
  const thing = item.kind === 'table' ? 'row' : 'document';
  const [text, setText] = useState(row === undefined ? '{}' : writeJson(row, 2));
  const [isDeleting, setDeleting] = useState(false);
  const { title, action, done } = words[row === undefined ? 'insert' : isDeleting ? 'delete' : 'edit'];
  const isReadOnly = row !== undefined && !mayChange();
  const { send, doubt } = useInsertAttempts(item, {
    text,
    onLeft: (documents) => setText(writeJson(documents, 2)),
    onStored: () => props.onStored?.(),
  });
  const change =
    isDeleting && row !== undefined
      ? deleteCommand(item, target, row)
      : commandOf(item, target, row, readJson(text));
  const sent = typeof change === 'string' ? change : [change];
  return (
    <CommandDialog
      title={isReadOnly ? `The ${thing}` : `${title} ${thing}`}
      isWide
      isDanger={isDeleting}
      action={isReadOnly ? undefined : action}
      commands={isReadOnly ? 'The role viewer reads only.' : sent}
      check={async () => {
        if (isDeleting) return undefined;
        const value = readJson(text);
        return (row === undefined ? doubt(value) : undefined) ?? doubtOf(item, target, row, value);
      }}
      {...(row === undefined ? { send } : {})}
      done={`${done} ${thing}.`}
      onDone={onDone}
      onClose={isDeleting ? () => setDeleting(false) : onClose}
      more={
        row !== undefined &&
        !isDeleting && (
          <div class="apart button-row">
            {!isReadOnly && (
              <Button kind="quiet" icon="trash" onPress={() => setDeleting(true)}>
                Delete
              </Button>
            )}
            {onSimilar !== undefined && (
              <Button kind="quiet" icon="search" isDisabled={text !== writeJson(row, 2)} onPress={onSimilar}>
                Find similar
              </Button>
            )}
          </div>
        )
      }
    >
      {isDeleting && row !== undefined ? (
        <CodeBlock text={writeJson(identityOf(item, row), 2)} />
      ) : (
        <RowText {...{ item, isReadOnly, text }} isNew={row === undefined} onChange={setText} />
      )}
      {note !== undefined && <p class="hint">{note}</p>}
    </CommandDialog>
  );
}

/** The value of `as` in the address that shows JSON in place of the form. */
const asJson = 'json';

/** The text of the row, by form or as JSON. */
function RowText(props: {
  readonly item: Item;
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const { item, isNew, isReadOnly, text, onChange } = props;
  const form = item.kind === 'table' && place.value.query['as'] !== asJson ? 'Form' : 'JSON';
  const value = readJson(text);
  return (
    <>
      {isNew ? (
        <InsertWays item={item} chosen={form} />
      ) : (
        item.kind === 'table' && (
          <Segments
            label="Form or JSON"
            choices={['Form', 'JSON']}
            chosen={form}
            onChoose={(chosen) => changeQuery({ as: chosen === 'JSON' ? asJson : undefined })}
          />
        )
      )}
      {form === 'Form' && isObject(value) ? (
        <RowFields
          {...{ item, isNew, isReadOnly }}
          row={value}
          onChange={(next) => onChange(writeJson(next, 2))}
        />
      ) : (
        <JsonEditor
          label={isNew ? 'JSON of one, or a list of several' : 'JSON'}
          value={text}
          isReadOnly={isReadOnly}
          onChange={onChange}
        />
      )}
    </>
  );
}

function RowFields(props: {
  readonly item: Item;
  readonly row: JsonObject;
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (row: JsonObject) => void;
}) {
  const { item, row, isNew, isReadOnly, onChange } = props;
  return (
    <div class="form">
      {columnsOf(item.definition)
        .filter(({ described }) => described.uses.includes('insert'))
        .map((column) => (
          <ColumnField
            key={column.name}
            column={column}
            value={memberAt(row, column.name)}
            isFixed={column.key !== undefined && !isNew && !isReadOnly}
            isReadOnly={isReadOnly}
            onChange={(value) => {
              const { [column.name]: _, ...others } = row;
              onChange(value === undefined ? others : { ...row, [column.name]: value });
            }}
          />
        ))}
    </div>
  );
}

/** Keeps what is typed: the value follows as soon as the text is one. */
function ColumnField({
  column,
  value,
  isFixed,
  isReadOnly,
  onChange,
}: {
  readonly column: Column;
  readonly value: Json | undefined;
  /** The key of a row that exists cannot be changed. */
  readonly isFixed: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (value: Json | undefined) => void;
}) {
  const { described, hasService, key } = column;
  const isText = isTypedAsText(described);
  const [first] = useState(
    value === undefined || value === null
      ? ''
      : isText && typeof value === 'string'
        ? value
        : typedText(value),
  );
  const [hadValue] = useState(value !== undefined && value !== null);
  const [text, setText] = useState(first);
  const hasReturns = isText && first.includes('\r');
  const hint = hasReturns
    ? 'This text has carriage returns, which a form cannot keep: change it as JSON.'
    : hasService
      ? 'A text, or the vector as a list of numbers.'
      : described.kind === 'text'
        ? emptyHint(value, hadValue)
        : undefined;
  const frame = {
    label: column.name,
    note: `${column.typeText}${key === undefined ? '' : ` · ${key} key`}`,
    ...(hint === undefined ? {} : { hint }),
    value: text,
    placeholder: isReadOnly ? '' : (described.example ?? ''),
    isDisabled: isFixed,
    isReadOnly: isReadOnly || hasReturns,
    isCode: !isText,
    onChange: (next: string) => {
      setText(next);
      onChange(next === '' ? undefined : isText ? next : typedValue(next, false));
    },
  };
  // An input of one line would lose the line breaks, also those of a text that is pasted.
  if (described.kind === 'text' || hasService)
    return <TextArea {...frame} rows={/\n|.{100}/.test(first) ? 4 : 1} />;
  return <TextField {...frame} />;
}

/** Says whether a blank field is an empty text or no value. `hadValue`: whether the field began with one. */
function emptyHint(value: Json | undefined, hadValue: boolean): string | undefined {
  if (value === '') return 'This is an empty text.';
  if (!hadValue || (value !== undefined && value !== null)) return undefined;
  return 'This removes the value. To store an empty text, change it as JSON.';
}

/** Documents of one insertMany. */
const mostInCommand = 100;

function commandOf(
  item: Item,
  target: Target,
  row: JsonObject | undefined,
  value: Json | undefined,
): Command | string {
  if (value === undefined) return 'Correct the JSON first.';
  if (row !== undefined)
    return isObject(value) ? changeCommand(item, target, row, value) : 'The JSON must be an object.';
  const documents = isList(value) ? value : [value];
  if (documents.length === 0 || !documents.every(isDocument))
    return 'The JSON must be an object, or a list of objects.';
  if (item.kind === 'table' && documents.some((document) => Object.keys(document).length === 0))
    return 'Fill in the columns of the primary key.';
  if (documents.length > mostInCommand)
    return `One command inserts ${mostInCommand}: choose Several for any number.`;
  return insertCommand(target, documents);
}

function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
