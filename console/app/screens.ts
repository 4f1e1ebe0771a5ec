// The screens of the console, in the order of the navigation. A screen is loaded when it is first shown.
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.js';
import { lazily } from '../parts/lazy.js';

/** A screen: what `#/{path}` and everything below it show. */
export interface Screen {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** A heading above it in the navigation. */
  readonly group?: string;
  readonly component: ComponentType<object>;
}

/** The screens; the first one is shown where the address names none. */
export const screens: readonly Screen[] = [
  {
    path: 'data',
    title: 'Data',
    icon: 'data',
    component: lazily(async () => (await import('../data/data-screen.js')).DataScreen),
  },
];
