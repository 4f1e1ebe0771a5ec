// The kinds of option values: how their text is parsed, and how messages describe them.
import { isIP } from 'node:net';
import { isNetwork } from '../http/address-policy.js';
import { hostInUrl } from '../http/hosts.js';
import { isUserName, mostOfLogin, type OpsUser, parseOpsUsers } from './ops-users.js';

/** A kind of option values. */
export interface OptionKind<Value> {
  /** The placeholder of the value in help texts: `PORT`. */
  readonly placeholder: string;
  /** Completes "it must be …": `an integer from 0 to 65535`. */
  readonly wanted: string;
  /** Never shown: not in messages, not in logs. */
  readonly isSecret: boolean;
  /**
   * The form in a JSON config file: `number` also accepts a number, `list` a list of strings, and `json` any JSON
   * value.
   */
  readonly jsonForm: 'string' | 'number' | 'list' | 'json';
  /** The value, or undefined when the text is not valid. Never called with an empty text. */
  parse(text: string): Value | undefined;
}

/** Any text but the empty one. */
export function textKind(placeholder: string): OptionKind<string> {
  return {
    placeholder,
    wanted: 'a text that is not empty',
    isSecret: false,
    jsonForm: 'string',
    parse: (text) => text,
  };
}

/** A text of visible ASCII characters, because it must fit into an HTTP header. */
export const secretKind: OptionKind<string> = {
  placeholder: 'SECRET',
  wanted: 'visible ASCII characters without spaces',
  isSecret: true,
  jsonForm: 'string',
  parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
};

/** A secret that cannot be guessed: it signs what clients can see. */
export const longSecretKind: OptionKind<string> = {
  ...secretKind,
  wanted: 'at least 32 visible ASCII characters without spaces',
  parse: (text) => (text.length >= 32 ? secretKind.parse(text) : undefined),
};

/** A decimal integer from `least` to `most`, both included. */
export function integerKind(placeholder: string, least: number, most: number): OptionKind<number> {
  return {
    placeholder,
    wanted: `an integer from ${least} to ${most}`,
    isSecret: false,
    jsonForm: 'number',
    parse: (text) => {
      if (!/^\d{1,15}$/.test(text)) return undefined;
      const value = Number(text);
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** A TCP port; 0 picks a free one. */
export const portKind: OptionKind<number> = integerKind('PORT', 0, 65_535);

/** One of some words. */
export function choiceKind<const Choice extends string>(choices: readonly Choice[]): OptionKind<Choice> {
  return {
    placeholder: choices.join('|'),
    wanted: choices.length === 1 ? `"${choices[0]}"` : `one of ${choices.join(', ')}`,
    isSecret: false,
    jsonForm: 'string',
    parse: (text) => choices.find((choice) => choice === text),
  };
}

/** An IP address or a host name, in lower case; IPv6 with or without brackets, stored without. */
export const hostKind: OptionKind<string> = {
  placeholder: 'HOST',
  wanted: 'an IP address or a host name, without a port',
  isSecret: false,
  jsonForm: 'string',
  parse: parseHost,
};

/** The name of a user of the operations service. */
export const userNameKind: OptionKind<string> = {
  ...textKind('NAME'),
  wanted: `a name of at most ${mostOfLogin.name} characters, other than "system"`,
  parse: (text) => (isUserName(text) ? text : undefined),
};

/** The password of such a user. */
export const passwordKind: OptionKind<string> = {
  ...secretKind,
  wanted: `at most ${mostOfLogin.password} visible ASCII characters without spaces`,
  parse: (text) => (text.length <= mostOfLogin.password ? secretKind.parse(text) : undefined),
};

/** The address of a web page: `http` or `https`, perhaps with a path; without a slash at its end. */
export const pageUrlKind: OptionKind<string> = {
  placeholder: 'URL',
  wanted:
    'an http or https address without a user, query or fragment, such as https://ops.example.org/colonnade',
  isSecret: false,
  jsonForm: 'string',
  parse: parsePageUrl,
};

/** Users of the operations service. */
export const usersKind: OptionKind<readonly OpsUser[]> = {
  placeholder: 'JSON',
  wanted:
    'a JSON array of {"name", "role", "password_hash"}: different names, the role viewer or operator, ' +
    'the hash as `colonnade hash-password` prints it',
  isSecret: true,
  jsonForm: 'json',
  parse: parseOpsUsers,
};

/** Hosts, separated by commas. */
export const hostListKind: OptionKind<readonly string[]> = {
  placeholder: 'HOST,…',
  wanted: 'IP addresses or host names with commas between them',
  isSecret: false,
  jsonForm: 'list',
  parse: (text) => {
    const hosts = text.split(',').map((host) => parseHost(host.trim()));
    return hosts.every((host) => host !== undefined) ? hosts : undefined;
  },
};

/**
 * Hosts, separated by commas, each with or without a port from 1: `host`, `host:port` or `[IPv6]:port`; hosts without
 * a port are stored as by `hostKind`.
 */
export const contactPointsKind: OptionKind<readonly string[]> = {
  placeholder: 'HOST[:PORT],…',
  wanted:
    'IP addresses or host names with commas between them, each with or without a port, as in ' +
    '10.0.0.1:9042 or [::1]:9042',
  isSecret: false,
  jsonForm: 'list',
  parse: (text) => {
    const points = text.split(',').map((point) => parseHost(point.trim()) ?? parsePlace(point.trim()));
    return points.every((point) => point !== undefined) ? points : undefined;
  },
};

/** Addresses and networks, separated by commas. */
export const networkListKind: OptionKind<readonly string[]> = {
  placeholder: 'NETWORK,…',
  wanted: 'IP addresses or networks such as 10.0.0.0/8 with commas between them',
  isSecret: false,
  jsonForm: 'list',
  parse: (text) => {
    const networks = text.split(',').map((network) => network.trim());
    return networks.every(isNetwork) ? networks : undefined;
  },
};

/** A program with its arguments: words separated by blanks, or a list of words in the config file. */
export const wordsKind: OptionKind<readonly string[]> = {
  placeholder: 'JSON',
  wanted: 'a JSON array of words: the program, then its arguments',
  isSecret: false,
  jsonForm: 'json',
  parse: (text) => {
    const words = parseJsonText(text);
    const isList = Array.isArray(words) && words.length > 0;
    return isList && words.every((word) => typeof word === 'string' && word !== '') ? words : undefined;
  },
};

/** Addresses of nodes, each with the host and port of something else of that node. */
export const nodeMapKind: OptionKind<Readonly<Record<string, HostAndPort>>> = {
  placeholder: 'JSON',
  wanted: 'a JSON object of node addresses, each with "host:port"',
  isSecret: false,
  jsonForm: 'json',
  parse: (text) => {
    const map = parseJsonText(text);
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return undefined;
    const entries = Object.entries(map).map(
      ([node, place]) => [parseHost(node), hostAndPort(place)] as const,
    );
    const isSound = entries.every(([node, place]) => node !== undefined && place !== undefined);
    return isSound ? Object.fromEntries(entries) : undefined;
  },
};

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

function hostAndPort(text: unknown): HostAndPort | undefined {
  const [, name = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(String(text)) ?? [];
  const [host, port] = [parseHost(name), portKind.parse(digits)];
  return host === undefined || port === undefined || port === 0 ? undefined : { host, port };
}

function parsePlace(text: string): string | undefined {
  const place = hostAndPort(text);
  return place === undefined ? undefined : `${hostInUrl(place.host)}:${place.port}`;
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the message says what is expected
  }
}

function parsePageUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, username, password } = new URL(text);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  if (!isWeb || username !== '' || password !== '' || /[?#\s]/.test(text)) return undefined;
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

function parseHost(text: string): string | undefined {
  const host = (/^\[(.*)\]$/.exec(text)?.[1] ?? text).toLowerCase();
  if (isIP(host) !== 0) return host;
  const isName =
    host.length <= 253 &&
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(host);
  // Digits and dots alone are a mistyped address; resolvers interpret such texts as other addresses.
  return isName && !/^[\d.]+$/.test(host) ? host : undefined;
}
