// Light or dark: as the system says, or as chosen here. The choice stays in this browser.
import { effect, signal } from '@preact/signals';

/** What the switch can be set to. */
export const themes = ['system', 'light', 'dark'] as const;

/** A setting of the switch. */
export type Theme = (typeof themes)[number];

const storedName = 'colonnade-theme';

/** The setting of the switch. */
export const theme = signal<Theme>(themes.find((name) => name === stored()) ?? 'system');

/** Shows the setting. Called once, at the start. */
export function followTheme(): void {
  effect(() => {
    const name = theme.value;
    if (name === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = name;
    try {
      if (name === 'system') localStorage.removeItem(storedName);
      else localStorage.setItem(storedName, name);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  });
}

function stored(): string | null {
  try {
    return globalThis.localStorage?.getItem(storedName) ?? null;
  } catch {
    return null; // storage may be forbidden
  }
}
