import type { ProxyEnv } from 'node:http';
import { CathedralError } from '../errors.ts';
import type { Environment } from './config.ts';

const VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const;
const EXCEPTIONS = ['no_proxy', 'NO_PROXY'] as const;

let inUse: ProxyEnv = {};

/** For clients with an agent of their own. */
export const proxiesInUse = () => inUse;

/** Sends requests the way that the environment says, as curl and wget do. Throws config_invalid. */
export function useProxies(env: Environment): void {
  const given = (names: readonly string[]) => names.filter((name) => env[name]?.trim());
  const proxies = given(VARIABLES).map((name) => [name, addressOf(name, env[name]!.trim())]);
  const exceptions = given(EXCEPTIONS).map((name) => [name, env[name]]);
  inUse = Object.fromEntries([...proxies, ...exceptions]);
  // The module takes longer to load than Node itself, and only some commands need it.
  if (proxies.length > 0) process.getBuiltinModule('node:http').setGlobalProxyFromEnv(inUse);
}

/** `proxy:3128` means `http://proxy:3128`. */
function addressOf(name: string, value: string): string {
  const url = URL.parse(/^[a-z0-9+.-]+:\/\//i.test(value) ? value : `http://${value}`);
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '') return url.href;
  // The value may have a password.
  throw new CathedralError('config_invalid', {
    place: name,
    expected: 'http://host:port',
    found: 'another address',
  });
}

/**
 * What Node says of a host that cannot be reached, and a proxy of one behind it. A host that answered something else was reached, and so was an
 * object store that gave its own reason.
 */
const UNREACHED =
  /https?:.*\b(fetch failed(?!: ERR_SSL)|establish tunnel|proxy tunnel timed out|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|status 50[234](?! [A-Z]))\b/;

/** Over plain HTTP, this may be the answer of a proxy that refuses the host, and not of the host. */
const REFUSED = /\bhttp:.*\bstatus 403\b/;

/** Which way requests went, for a message that says that a host did not answer, or perhaps a proxy in its place; null for any other. */
export function describeProxies(message: string): string | null {
  const isByProxy = REFUSED.test(message) && (inUse.http_proxy ?? inUse.HTTP_PROXY) !== undefined;
  if (!isByProxy && !UNREACHED.test(message)) return null;
  const ways = Object.entries(inUse).map(([name, value]) => `${name} is ${hidden(name, `${value}`)}`);
  return ways.length > 0 ? ways.join(', ') : 'no proxy is used, since HTTPS_PROXY and HTTP_PROXY are not set';
}

function hidden(name: string, value: string): string {
  return /no_proxy/i.test(name) ? value : new URL(value).origin;
}
