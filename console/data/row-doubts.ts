// Why a change of a row or document should not be sent unseen: others were faster, or it overwrites a row.
import { isList, isObject, type Json, type JsonObject, memberAt, writeJson } from '../json/exact-json.js';
import { documentsOf, sendCommand, type Target } from './command.js';
import { editedOf, findOneCommand, identityOf } from './row-changes.js';
import type { Item } from './schema.js';

/**
 * Reads what is stored now and compares it with what the form began with: `before`, undefined for an insert. `after` is
 * what was typed. Undefined when there is no doubt. @throws RequestFailure
 */
export async function doubtOf(
  item: Item,
  target: Target,
  before: JsonObject | undefined,
  after: Json | undefined,
): Promise<string | undefined> {
  if (before === undefined) return overwritten(item, target, after);
  const thing = item.kind === 'table' ? 'row' : 'document';
  const [now] = documentsOf(await sendCommand(findOneCommand(item, target, before)));
  if (now === undefined)
    return item.kind === 'table'
      ? 'This row was deleted since it was opened here. Saving makes a row with the changed columns only.'
      : 'This document was deleted since it was opened here. Saving inserts it again.';
  const changed = changedNames(before, editedOf(now));
  if (changed.length === 0) return undefined;
  const effect =
    item.kind === 'table'
      ? 'Saving replaces the columns that you changed, and no others.'
      : 'Saving replaces all of it.';
  return `This ${thing} was changed since it was opened here: ${changed.join(', ')}. ${effect}`;
}

/** An insert of a row with the key of another one changes that row; documents are refused by the service. */
async function overwritten(item: Item, target: Target, after: Json | undefined): Promise<string | undefined> {
  const row = isList(after) && after.length === 1 ? after[0] : after;
  if (item.kind !== 'table' || !isObject(row)) return undefined;
  if (Object.values(identityOf(item, row)).some((value) => value === undefined)) return undefined;
  const found = documentsOf(await sendCommand(findOneCommand(item, target, row)));
  if (found.length === 0) return undefined;
  return 'There is a row with this key. Inserting replaces its columns that are filled in here.';
}

function changedNames(before: JsonObject, now: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => writeJson(memberAt(before, name)) !== writeJson(memberAt(now, name)));
}
