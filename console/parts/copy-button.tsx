// Copies a text to the clipboard.
import { showToast } from '../state/toasts.js';
import { Button } from './button.js';

/** A button that copies `text`. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  return (
    <Button icon="copy" kind="quiet" onPress={() => void copyText(text)}>
      {label}
    </Button>
  );
}

/** Copies a text and says so. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast('Copied.');
  } catch {
    // The browser offers no clipboard without TLS. People can still mark the text and copy it.
    showToast('The browser allows no copying here: mark the text and copy it.', 'failed');
  }
}
