// Creates a table or a collection: by form, as JSON, or for a file.
import { useEffect, useState } from 'preact/hooks';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import { serverFacts, whyNoCollections } from '../net/server-facts.js';
import { SelectField, TextField } from '../parts/field.js';
import { JsonEditor } from '../parts/json-editor.js';
import { goTo } from '../state/url-state.js';
import { CollectionFields, type CollectionForm, collectionBody, newCollection } from './collection-form.js';
import type { Command } from './command.js';
import { CommandDialog } from './command-dialog.js';
import { type CreateProps, CreateWays, createWay } from './create-ways.js';
import { CreateFromFile } from './lazy-views.js';
import { newTable, TableFields, type TableForm, tableBody } from './table-form.js';

/** The dialog; afterwards the new table or collection is shown. */
export function CreateItemDialog(props: CreateProps) {
  return createWay() === 'File' ? <CreateFromFile {...props} /> : <CreateByForm {...props} />;
}

function CreateByForm(props: CreateProps) {
  const { keyspace, over } = props;
  const form = useItemForm(keyspace);
  const { kind, name, json } = form;
  return (
    <CommandDialog
      title={`Create a ${kind}`}
      isWide
      action="Create"
      commands={form.commands}
      done={`Created the ${kind} ${name}.`}
      onDone={() => {
        props.onCreated();
        if (over.isShown()) goTo(['data', keyspace, name]);
      }}
      onClose={over.close}
    >
      <div class="form-row">
        <TextField label="Name" value={name} onChange={form.setName} />
        {serverFacts.value?.hasCollections !== false && (
          <SelectField label="Kind" value={kind} choices={kinds} onChange={form.chooseKind} />
        )}
        <CreateWays chosen={json === undefined ? 'Form' : 'JSON'} />
      </div>
      <p class="hint">{serverFacts.value?.hasCollections === false ? whyNoCollections : kindHints[kind]}</p>
      {json !== undefined ? (
        <JsonEditor label={form.member} value={json} onChange={form.setJson} />
      ) : kind === 'table' ? (
        <TableFields form={form.table} onChange={form.setTable} />
      ) : (
        <CollectionFields form={form.collection} onChange={form.setCollection} />
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
  const [typed, setJson] = useState<string>();
  const isJson = createWay() === 'JSON';
  useEffect(() => {
    // The form may be changed before the JSON is shown again.
    if (!isJson) setJson(undefined);
  }, [isJson]);
  const { member, body } =
    kind === 'table'
      ? { member: 'definition', body: tableBody(table) }
      : { member: 'options', body: collectionBody(collection) };
  const json = isJson ? (typed ?? writeJson(typeof body === 'string' ? {} : body, 2)) : undefined;
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
  const forms = { table, setTable, collection, setCollection };
  return { kind, chooseKind, name, setName, ...forms, json, setJson, member, commands };
}

function readObject(text: string) {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : 'The JSON must be an object.';
  } catch {
    return 'Correct the JSON first.';
  }
}
