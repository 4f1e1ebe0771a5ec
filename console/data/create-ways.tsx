// The ways to create a table or collection: by a form, as JSON, or for a file.
import { Segments } from '../parts/segments.js';
import { changeQuery, type Opened, openOver, place } from '../state/url-state.js';

/** Where something is created, and what happens then. */
export interface CreateProps {
  readonly keyspace: string;
  /** The names of the tables and collections of the keyspace, as far as they are known. */
  readonly taken: readonly string[];
  readonly over: Opened;
  /** Called when it was created, and after a run that inserted rows again when the dialog is closed. */
  readonly onCreated: () => void;
}

/** The ways with their value of `as` in the address. */
const ways = { Form: undefined, JSON: 'json', File: 'file' } as const;

/** A way to create a table or collection, as the choice shows it. */
export type CreateWay = keyof typeof ways;

const names: readonly CreateWay[] = ['Form', 'JSON', 'File'];

/** The way that the address names. */
export function createWay(): CreateWay {
  const named = place.value.query['as'];
  return names.find((name) => ways[name] !== undefined && ways[name] === named) ?? 'Form';
}

/** Opens the form that creates a table or collection in this way. */
export function openCreate(way: CreateWay): void {
  openOver('create');
  changeQuery({ as: ways[way] });
}

/** Shows the choice between the ways; the address keeps what is chosen. */
export function CreateWays({ chosen }: { readonly chosen: CreateWay }) {
  return (
    <Segments
      label="How to create"
      choices={names}
      chosen={chosen}
      onChoose={(name) => changeQuery({ as: ways[name] })}
    />
  );
}
