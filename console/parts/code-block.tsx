// A block of code or JSON, which scrolls where it has more than its place shows.

/** Shows a text with its line breaks. The keyboard reaches the block, so that its arrow keys can scroll it. */
export function CodeBlock({ text, kind = '' }: { readonly text: string; readonly kind?: '' | 'result' }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard.
    <pre class={`code-block ${kind}`} tabIndex={0}>
      {text}
    </pre>
  );
}
