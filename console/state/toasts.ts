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
/** Failures that are shown besides the newest message. */
const mostFailures = 2;
let lastId = 0;

/** Shows a message in place of those that say the same and of those about earlier successes. */
export function showToast(text: string, kind: Toast['kind'] = 'done'): void {
  lastId += 1;
  const id = lastId;
  const failures = toasts.value.filter((toast) => toast.kind === 'failed' && toast.text !== text);
  toasts.value = [...failures.slice(-mostFailures), { id, kind, text }];
  setTimeout(() => hideToast(id), shownMs[kind]);
}

/** Shows why something failed. */
export function showFailure(failure: unknown, before = ''): void {
  showToast(`${before}${failure instanceof Error ? failure.message : String(failure)}`, 'failed');
}

/** Removes a message. */
export function hideToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
