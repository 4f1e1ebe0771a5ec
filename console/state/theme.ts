// Light or dark: as the system says, or as chosen here. The choice stays in this browser.
import { effect, signal } from '@preact/signals';
import { keepText, keptText } from './kept-text.js';

/** What the switch can be set to. */
export const themes = ['system', 'light', 'dark'] as const;

/** A setting of the switch. */
export type Theme = (typeof themes)[number];

const storedName = 'colonnade-theme';

/** The setting of the switch. */
export const theme = signal<Theme>(themes.find((name) => name === keptText(storedName)) ?? 'system');

/** Shows the setting. Called once, at the start. */
export function followTheme(): void {
  effect(() => {
    const name = theme.value;
    if (name === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = name;
    keepText(storedName, name === 'system' ? undefined : name);
  });
}
