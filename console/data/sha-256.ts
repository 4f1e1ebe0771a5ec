// SHA-256 (FIPS 180-4) of a text. The browser's own one is asynchronous, and absent on pages without TLS.

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const constants = fractionsOfRoots(64, 3);
/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const beginning = fractionsOfRoots(8, 2);

function fractionsOfRoots(count: number, root: 2 | 3): Uint32Array {
  const found = new Uint32Array(count);
  for (let at = 0, candidate = 2; at < count; candidate += 1) {
    if (!isPrime(candidate)) continue;
    found[at] = fractionOfRoot(BigInt(candidate), root);
    at += 1;
  }
  return found;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return true;
}

/**
 * The first 32 bits of the fraction of a root, computed exactly: it finds the largest integer whose power is not above
 * the prime, both shifted by 32 bits.
 */
function fractionOfRoot(prime: bigint, root: 2 | 3): number {
  const wanted = prime << BigInt(32 * root);
  let [low, high] = [0n, 1n << 37n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** BigInt(root) <= wanted) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

/** The hash of the UTF-8 of a text, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(blocks.length - 4, bytes.length * 8);
  const state = Uint32Array.from(beginning);
  const words = new Uint32Array(64);
  for (let at = 0; at < blocks.length; at += 64) addBlock(state, words, view, at);
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

function addBlock(state: Uint32Array, words: Uint32Array, view: DataView, offset: number): void {
  const word = (at: number) => words[at] ?? 0;
  for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(offset + at * 4);
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [word(at - 15), word(at - 2)];
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[at] = word(at - 16) + small + word(at - 7) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const first = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + first + chosen + (constants[at] ?? 0) + word(at)) | 0;
    const second = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (second + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + value;
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
