// Fills the placeholders in the URL of a provider.
import type { ParameterValue } from './provider.js';

/**
 * The URL with each `{name}` replaced, followed by `path`. A value can neither add parts to the path nor
 * change the host: each part between slashes is encoded.
 */
export function fillUrl(
  template: string,
  path: string,
  values: Readonly<Record<string, ParameterValue>>,
): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeParts(String(values[name] ?? '')),
  );
  if (path === '') return filled;
  return filled.endsWith('/') ? `${filled}${path}` : `${filled}/${path}`;
}

function encodeParts(value: string): string {
  return value
    .split('/')
    .map((part) => (/^\.+$/.test(part) ? '' : encodeURIComponent(part)))
    .join('/');
}
