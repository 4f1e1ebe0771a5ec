// Creates a table or a collection, by form or as JSON.
import { useState } from 'preact/hooks';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import { serverFacts, whyNoCollections } from '../net/server-facts.js';
import { SelectField, TextField } from '../parts/field.js';
import { JsonEditor } from '../parts/json-editor.js';
import { Segments } from '../parts/segments.js';
import { goTo, type Opened } from '../state/url-state.js';
import { CollectionFields, type CollectionForm, collectionBody, newCollection } from './collection-form.js';
import type { Command } from './command.js';
import { CommandDialog } from './command-dialog.js';
import { newTable, TableFields, type TableForm, tableBody } from './table-form.js';

/** The dialog; afterwards the new table or collection is shown. */
export function CreateItemDialog(props: {
  readonly keyspace: string;
  readonly over: Opened;
  readonly onCreated: () => void;
}) {
  const { keyspace, over } = props;
  const {
    kind,
    chooseKind,
    name,
    setName,
    table,
    setTable,
    collection,
    setCollection,
    json,
    setJson,
    member,
    chooseForm,
    commands,
  } = useItemForm(keyspace);
  return (
    <CommandDialog
      title={`Create a ${kind}`}
      isWide
      action="Create"
      commands={commands}
      done={`Created the ${kind} ${name}.`}
      onDone={() => {
        props.onCreated();
        if (over.isShown()) goTo(['data', keyspace, name]);
      }}
      onClose={over.close}
    >
      <div class="form-row">
        <TextField label="Name" value={name} onChange={setName} />
        {serverFacts.value?.hasCollections !== false && (
          <SelectField label="Kind" value={kind} choices={kinds} onChange={chooseKind} />
        )}
        <Segments
          label="Form or JSON"
          choices={['Form', 'JSON']}
          chosen={json === undefined ? 'Form' : 'JSON'}
          onChoose={chooseForm}
        />
      </div>
      <p class="hint">{serverFacts.value?.hasCollections === false ? whyNoCollections() : kindHints[kind]}</p>
      {json !== undefined ? (
        <JsonEditor label={member} value={json} onChange={setJson} />
      ) : kind === 'table' ? (
        <TableFields form={table} onChange={setTable} />
      ) : (
        <CollectionFields form={collection} onChange={setCollection} />
      )}
    </CommandDialog>
  );
}

const kinds = [
  { value: 'table', label: 'Table' },
  { value: 'collection', label: 'Collection' },
];

const kindHints = {
  table: 'Rows with typed columns.',
  collection: 'JSON documents of any form.',
} as const;

/** What is typed, and the command that it makes. */
function useItemForm(keyspace: string) {
  const [kind, setKind] = useState<'table' | 'collection'>('table');
  const [name, setName] = useState('');
  const [table, setTable] = useState<TableForm>(newTable);
  const [collection, setCollection] = useState<CollectionForm>(newCollection);
  const [json, setJson] = useState<string>();
  const { member, body } =
    kind === 'table'
      ? { member: 'definition', body: tableBody(table) }
      : { member: 'options', body: collectionBody(collection) };
  const chosen = json === undefined ? body : readObject(json);
  const commands: readonly Command[] | string =
    name === ''
      ? 'Type a name.'
      : typeof chosen === 'string'
        ? chosen
        : [
            {
              target: { keyspace },
              name: `create${kind === 'table' ? 'Table' : 'Collection'}`,
              body: { name, [member]: chosen },
            },
          ];
  const chooseKind = (value: string) => {
    setKind(value === 'table' ? 'table' : 'collection');
    setJson(undefined);
  };
  const chooseForm = (form: 'Form' | 'JSON') =>
    setJson(form === 'Form' ? undefined : writeJson(typeof body === 'string' ? {} : body, 2));
  const forms = { table, setTable, collection, setCollection };
  return { kind, chooseKind, name, setName, ...forms, json, setJson, chooseForm, member, commands };
}

function readObject(text: string) {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : 'The JSON must be an object.';
  } catch {
    return 'Correct the JSON first.';
  }
}
