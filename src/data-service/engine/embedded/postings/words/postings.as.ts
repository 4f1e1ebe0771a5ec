// Reads postings, and keeps the memory large enough for what is done with them.
const pageBytes: usize = 65536;

/** The end of the present posting, after `wide`. */
export let at: usize = 0;
/** The count of the present posting, after `readRest`. */
export let count: u32 = 0;
/** The length of its text. */
export let length: u32 = 0;

/** Makes room for some bytes at an address, which it returns. */
export function room(address: usize, bytes: usize): usize {
  const end = address + bytes;
  const present = <usize>memory.size() * pageBytes;
  if (end > present && memory.grow(<i32>((end - present + pageBytes - 1) / pageBytes) + 16) < 0)
    unreachable();
  return address;
}

/** Whether a posting has one byte after its code: the length of the text, which has the token once. */
export function isShort(code: u64, byte: u32): bool {
  return ((<u32>code & 1) | (byte & 0x80)) === 0;
}

/** Reads the count and the length after the code of a posting. Returns the end of the posting. */
export function readRest(code: u64, start: usize): usize {
  let from = start;
  count = 1;
  if ((code & 1) !== 0) {
    let counted: u64 = load<u8>(from);
    from += 1;
    if (counted >= 0x80) {
      counted = wide(<u32>counted, from);
      from = at;
    }
    count = <u32>(counted >> 1);
    length = 0;
    if (counted === 0) return from;
  }
  length = load<u8>(from);
  from += 1;
  if (length < 0x80) return from;
  length = <u32>wide(length, from);
  return at;
}

/** Reads the rest of an integer whose first byte is known; `at` is then its end. */
export function wide(first: u32, start: usize): u64 {
  let value: u64 = first & 0x7f;
  let shift: u64 = 7;
  let from = start;
  for (let byte = first; byte >= 0x80; shift += 7) {
    byte = load<u8>(from);
    from += 1;
    value |= (<u64>(byte & 0x7f)) << shift;
  }
  at = from;
  return value;
}
