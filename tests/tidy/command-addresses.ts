// Finds the addresses and the servers that the commands of a document use.
import { isIP } from 'node:net';
import { isLoopbackHost } from '../../src/foundation/http/hosts.js';
import type { GuideBlock } from '../acceptance/guides/guide-blocks.js';

/** Ways to write a host: in a URL, as an IPv4 address, and as a name of the domains that documents use. */
const hosts = [
  /https?:\/\/(?<host>\[[^\]]*\]|[^\s'"/:)]+)/gi,
  /(?<![\d.])(?<host>\d+(?:\.\d+){3})(?![\d.])/g,
  // Not that of a mail address.
  /(?<![\w.@-])(?<host>(?:[a-z\d-]+\.)+(?:org|com|net|io|dev|example))\b/gi,
];
/** A server listens there on every address of its machine. */
const everyAddress = '0.0.0.0';

/** The hosts in a block that are not this machine, each once. */
export function foreignAddresses(content: string): readonly string[] {
  const found = hosts.flatMap((way) =>
    [...content.matchAll(way)].map(({ groups }) => groups?.['host'] ?? ''),
  );
  return [...new Set(found)].filter((host) => !isHere(host));
}

function isHere(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === everyAddress || isLoopbackHost(bare) || (isIP(bare) === 0 && /^[\d.]+$/.test(bare));
}

/** A server that documents use, how its use is seen, and which blocks start it. */
interface KnownServer {
  readonly server: string;
  readonly uses: RegExp;
  readonly isStartedBy: (block: GuideBlock) => boolean;
}

const servers: readonly KnownServer[] = [
  {
    server: 'Colonnade',
    uses: /(?:127\.0\.0\.1|localhost):(?:8181|8888)|colonnade (backup|export|import|cql|keys|mcp)\b|npm run example/,
    isStartedBy: ({ content }) => /npm start|systemctl enable --now colonnade|podman run/.test(content),
  },
  {
    server: 'the program of the reader',
    uses: /curl\b.*127\.0\.0\.1:9000/,
    isStartedBy: ({ mark }) => mark === 'background',
  },
];

/** Where a server is used that no block before, and not the block itself, starts. */
export function unstartedServers(
  blocks: readonly GuideBlock[],
): readonly { readonly line: number; readonly server: string }[] {
  return servers.flatMap(({ server, uses, isStartedBy }) => {
    const startedAt = blocks.findIndex(isStartedBy);
    const isBefore = (at: number) => startedAt < 0 || at < startedAt;
    return blocks.flatMap(({ content, line }, at) =>
      uses.test(content) && isBefore(at) ? [{ line, server }] : [],
    );
  });
}
