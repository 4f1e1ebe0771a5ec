// Short messages about what was done; they leave by themselves.
import { signal } from '@preact/signals';

/** One message. */
export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

/** The messages that are shown, oldest first. */
export const toasts = signal<readonly Toast[]>([]);

const shownMs = { done: 4000, failed: 10_000 } as const;
const mostShown = 4;
let lastId = 0;

/** Shows a message. */
export function showToast(text: string, kind: Toast['kind'] = 'done'): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, kind, text }].slice(-mostShown);
  setTimeout(() => hideToast(id), shownMs[kind]);
}

/** Removes a message. */
export function hideToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
