// Decides which addresses may be connected to when a client chose the address.
import { BlockList, isIP } from 'node:net';

/** Returns why an address must not be connected to; undefined if it may. */
export type AddressPolicy = (address: string) => string | undefined;

/** Networks in CIDR notation, or single addresses. */
export interface AddressLists {
  readonly deny: readonly string[];
  /** Exceptions from `deny`; addresses that are always denied have no exceptions. */
  readonly allow: readonly string[];
}

/** Never allowed, with the reason for the caller. */
const alwaysDenied: readonly (readonly [reason: string, networks: readonly string[]])[] = [
  [
    'a metadata address',
    [
      '169.254.169.254',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
      'fd00:ec2::254',
      'fd20:ce::254',
      'fd00:42::42',
    ],
  ],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['an unspecified address', ['0.0.0.0/8', '::']],
  ['a multicast or broadcast address', ['224.0.0.0/4', '255.255.255.255', 'ff00::/8']],
];

/**
 * Why a host that is an address is never connected to, whatever the options say; undefined for allowed addresses and
 * for names.
 */
export const neverAllowed: AddressPolicy = (() => {
  const policy = createAddressPolicy({ deny: [], allow: [] });
  return (host) => (isIP(host) === 0 ? undefined : policy(host));
})();

/** The policy of the operations service: what is always denied, and the lists of the options. */
export function createAddressPolicy(lists: AddressLists): AddressPolicy {
  // Made at the first use: Node compiles code for it, which would take a tenth of the server's start.
  let blocks: Blocks | undefined;
  const judged = new Map<string, string | undefined>();
  return (address) => {
    const known = judged.get(address);
    if (known !== undefined || judged.has(address)) return known;
    blocks ??= blocksOf(lists);
    const reason = judge(address, blocks);
    // Nodes are probed every two seconds, so the same few addresses are checked repeatedly.
    if (judged.size >= maxJudged) judged.clear();
    judged.set(address, reason);
    return reason;
  };
}

const maxJudged = 1000;

function judge(address: string, { always, deny, allow }: Blocks): string | undefined {
  const forms = formsOf(address);
  if (forms.length === 0) return 'not an address';
  const denied = always.find(({ block }) => forms.some((form) => contains(block, form)));
  if (denied !== undefined) return denied.reason;
  const isListed = (block: BlockList) => forms.some((form) => contains(block, form));
  return isListed(deny) && !isListed(allow) ? 'denied by --deny-address' : undefined;
}

interface Blocks {
  readonly always: readonly { readonly reason: string; readonly block: BlockList }[];
  readonly deny: BlockList;
  readonly allow: BlockList;
}

function blocksOf({ deny, allow }: AddressLists): Blocks {
  return {
    always: alwaysDenied.map(([reason, networks]) => ({ reason, block: blockListOf(networks) })),
    deny: blockListOf(deny),
    allow: blockListOf(allow),
  };
}

/** Whether a text is an address or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function contains(block: BlockList, address: string): boolean {
  return block.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The address, and the IPv4 address that an IPv6 address contains: mapped, compatible, NAT64 or 6to4. */
function formsOf(address: string): readonly string[] {
  const plain = address.split('%')[0] ?? '';
  const family = isIP(plain);
  if (family === 0) return [];
  if (family === 4) return [plain];
  const inner = innerAddress(groupsOf(plain));
  return inner === undefined ? [plain] : [plain, inner];
}

function innerAddress(groups: readonly number[]): string | undefined {
  const startsWith = (...start: readonly number[]) => start.every((group, at) => groups[at] === group);
  const zeros = [0, 0, 0, 0];
  if (startsWith(...zeros, 0, 0xffff) || startsWith(0x64, 0xff9b, ...zeros)) return dotted(groups, 6);
  if (startsWith(...zeros, 0xffff, 0) || startsWith(0x64, 0xff9b, 1)) return dotted(groups, 6);
  if (startsWith(0x2002)) return dotted(groups, 1);
  // `::` and `::1` contain no IPv4 address; all others below 2^32 have the outdated compatible form.
  return startsWith(...zeros, 0, 0) && (groups[6] ?? 0) !== 0 ? dotted(groups, 6) : undefined;
}

function dotted(groups: readonly number[], at: number): string {
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const group = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
    return `${group(a, b)}:${group(c, d)}`;
  });
  const [front = '', back] = hex.split('::');
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const head = parse(front);
  if (back === undefined) return head;
  const tail = parse(back);
  return [...head, ...new Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail];
}
