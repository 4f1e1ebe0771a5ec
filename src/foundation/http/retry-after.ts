// Reads the header Retry-After (RFC 9110 §10.2.3).

/** The time to wait, in milliseconds, from a header with seconds or a date; undefined for other texts. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(header)) return Math.ceil(Number(header) * 1000);
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
