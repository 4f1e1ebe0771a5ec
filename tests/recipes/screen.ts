// The recipe for a screen of the console.
import assert from 'node:assert/strict';
import type { FollowedRecipe } from './follow-recipes.js';

const notesScreen = `// The Notes screen: it shows that a screen needs no more than this.

export function NotesScreen() {
  return (
    <div class="page">
      <header class="page-head">
        <h1>Notes of the recipe</h1>
      </header>
    </div>
  );
}
`;

/** Adds a screen with a title. */
export const screenRecipe: FollowedRecipe = {
  title: 'A screen of the console',
  files: { 'console/operations/notes-screen.tsx': notesScreen },
  changes: [
    {
      path: 'console/app/screens.ts',
      from: "  {\n    path: 'keys',",
      to: `  {
    path: 'notes',
    title: 'Notes',
    icon: 'key',
    component: lazily(async () => (await import('../operations/notes-screen.js')).NotesScreen),
  },
  {
    path: 'keys',`,
    },
  ],
  async find({ server }) {
    const page = await (await fetch(`${server.opsUrl}/`)).text();
    const entry = /src="\.?\/?([^"]+\.js)"/.exec(page)?.[1] ?? '';
    const program = await (await fetch(`${server.opsUrl}/${entry}`)).text();
    const screen = /notes-screen-[\w-]+\.js/.exec(program)?.[0] ?? '';
    const folder = entry.slice(0, entry.lastIndexOf('/'));
    const part = await (await fetch(`${server.opsUrl}/${folder}/${screen}`)).text();
    assert.match(part, /Notes of the recipe/);
  },
};
