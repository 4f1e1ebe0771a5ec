// The commands that were run in the editor, kept in this browser: newest first, within bounds.
import { signal } from '@preact/signals';
import { isList, isObject, type Json, parseJson, plainText, toCount, writeJson } from '../json/exact-json.js';
import { keepText, keptText } from '../state/kept-text.js';
import { readPath } from './typed-command.js';

/** A command that was run. */
export interface PastCommand {
  readonly atMs: number;
  /** The path on the data port that it was sent to. */
  readonly path: string;
  /** Its JSON, as it was typed. */
  readonly text: string;
  readonly isRefused: boolean;
  /** Who ran it, on a server with users: others who use this browser do not see it. */
  readonly user: string;
}

const storedName = 'colonnade-commands';
/** The oldest commands beyond these are forgotten. */
export const mostCommands = 100;
const mostCharacters = 200_000;
/** A longer command is not kept, so that it does not push out all others. */
export const longestCommand = 20_000;

/** The commands of everybody. */
const kept = signal<readonly PastCommand[]>(stored() ?? []);

/** The commands of a user. */
export function pastCommands(user: string): readonly PastCommand[] {
  return kept.value.filter((one) => one.user === user);
}

/** Keeps a command in front of the others; the same one at the same path moves there. */
export function noteCommand(command: PastCommand): void {
  if (command.text.length > longestCommand) return;
  const isSame = (one: PastCommand) =>
    one.text === command.text && one.path === command.path && one.user === command.user;
  // Another tab may have added some.
  keep(bounded([command, ...present().filter((one) => !isSame(one))]));
}

/** Forgets the commands of a user. */
export function forgetCommands(user: string): void {
  keep(present().filter((one) => one.user !== user));
}

/** The commands whose text or path has each of the words, in any letters. */
export function commandsWith(words: string, commands: readonly PastCommand[]): readonly PastCommand[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return commands.filter(({ path, text }) => {
    const all = `${path} ${text}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

function bounded(commands: readonly PastCommand[]): readonly PastCommand[] {
  let characters = 0;
  return commands.slice(0, mostCommands).filter(({ text, path }) => {
    characters += text.length + path.length;
    return characters <= mostCharacters;
  });
}

function keep(commands: readonly PastCommand[]): void {
  kept.value = commands;
  keepText(storedName, commands.length === 0 ? undefined : writeJson(commands.map((one) => ({ ...one }))));
}

/** Reads the commands from the storage of the browser. If it has none, they last as long as the page. */
function present(): readonly PastCommand[] {
  return stored() ?? kept.peek();
}

function stored(): readonly PastCommand[] | undefined {
  const text = keptText(storedName);
  if (text === null) return undefined;
  try {
    const list = parseJson(text);
    return isList(list) ? list.flatMap(commandIn) : [];
  } catch {
    return []; // written by something else
  }
}

function commandIn(value: Json): readonly PastCommand[] {
  if (!isObject(value)) return [];
  const [to, text, user] = [value['path'], value['text'], value['user']].map(plainText);
  const path = to === undefined ? undefined : readPath(to);
  const atMs = toCount(value['atMs']);
  if (atMs === undefined || path === undefined || text === undefined) return [];
  return [{ atMs, path, text, user: user ?? '', isRefused: value['isRefused'] === true }];
}
