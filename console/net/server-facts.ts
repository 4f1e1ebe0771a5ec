// What the console needs to know of the server and of the login: which parts it has, and where its data port is.
import { effect, signal } from '@preact/signals';
import type { ServerFacts } from '../../src/descriptions/operations-replies.js';
import { read } from './ops-api.js';
import { signInCount } from './session.js';

/** The facts; undefined until they are loaded. */
export const serverFacts = signal<ServerFacts | undefined>(undefined);

/** Whether the user may change things: as far as the console knows; the server decides. */
export function mayChange(): boolean {
  return serverFacts.value?.role !== 'viewer';
}

/** Why the server offers no collections, for the places that would offer them. */
export const whyNoCollections = 'Collections are switched off on this server (--collections).';

/** Loads the facts, and again after each sign-in. Called once, at the start. */
export function followFacts(): void {
  effect(() => {
    void signInCount.value;
    void loadFacts();
  });
}

let lastUser = '';

/** Who was logged in last, also where the facts were loaded again after the end of the session; empty for nobody. */
export function lastUserSeen(): string {
  return lastUser;
}

async function loadFacts(): Promise<void> {
  try {
    const facts = await read<ServerFacts>('console/facts');
    serverFacts.value = facts;
    if (facts.user !== '') lastUser = facts.user;
  } catch {
    // The screens show why the server does not answer; this is tried again with the next sign-in or page.
  }
}
