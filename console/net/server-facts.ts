// What the console needs to know of the server and of the login: which parts it has, and where its data port is.
import { effect, signal } from '@preact/signals';
import { memberAt, plainText } from '../json/exact-json.js';
import { sendRequest } from './send-request.js';
import { signInCount } from './session.js';

/** The reply of `GET /console/facts`. */
export interface ServerFacts {
  readonly version: string;
  /** `strict` or `extended`. */
  readonly dialect: string;
  /** The value of `--engine`. */
  readonly engine: string;
  /** Whether the engine can store documents. */
  readonly canHaveCollections: boolean;
  /** Whether it can, and they are not switched off. */
  readonly hasCollections: boolean;
  /** Whether text indexes can be created. */
  readonly hasTextIndexes: boolean;
  /** Whether users of the cluster can send requests in place of the token. */
  readonly hasClusterUsers: boolean;
  /** The address of the data port, for the official clients. */
  readonly dataUrl: string;
  /** Whether the data port wants a token. */
  readonly needsToken: boolean;
  /** The address in links of notices (`--console-url`); empty if they have none. */
  readonly consoleUrl: string;
  /** Whether the server has users, so that requests need a login. */
  readonly needsLogin: boolean;
  /** The user of the session; empty without one. */
  readonly user: string;
  /** `viewer` or `operator`; empty without a session. */
  readonly role: string;
}

/** The facts; undefined until they are loaded. */
export const serverFacts = signal<ServerFacts | undefined>(undefined);

/** Whether the user may change things: as far as the console knows; the server decides. */
export function mayChange(): boolean {
  return serverFacts.value?.role !== 'viewer';
}

/** Why the server offers no collections, for the places that would offer them. */
export function whyNoCollections(): string {
  const { engine, canHaveCollections } = serverFacts.value ?? { canHaveCollections: true };
  return !canHaveCollections
    ? `With the engine ${engine} there are tables only: collections need the embedded engine.`
    : 'Collections are switched off on this server (--collections).';
}

/** Loads the facts, and again after each sign-in. Called once, at the start. */
export function followFacts(): void {
  effect(() => {
    void signInCount.value;
    void loadFacts();
  });
}

async function loadFacts(): Promise<void> {
  try {
    const reply = await sendRequest('console/facts');
    const text = (name: string) => plainText(memberAt(reply, name));
    const flag = (name: string) => memberAt(reply, name) === true;
    serverFacts.value = {
      version: text('version'),
      dialect: text('dialect'),
      engine: text('engine'),
      canHaveCollections: flag('canHaveCollections'),
      hasCollections: flag('hasCollections'),
      hasTextIndexes: flag('hasTextIndexes'),
      hasClusterUsers: flag('hasClusterUsers'),
      dataUrl: text('dataUrl'),
      needsToken: flag('needsToken'),
      consoleUrl: text('consoleUrl'),
      needsLogin: flag('needsLogin'),
      user: text('user'),
      role: text('role'),
    };
  } catch {
    // The screens show why the server does not answer; this is tried again with the next sign-in or page.
  }
}
