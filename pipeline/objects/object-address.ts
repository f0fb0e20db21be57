import { isLoopback } from '../config/loopback.ts';
import { nearestName } from '../config/nearest-name.ts';
import { SETTINGS } from '../config/settings.ts';
import { errorOf } from '../errors.ts';

const wrong = errorOf('config_invalid');

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary credentials. */
  sessionToken: string | null;
}

/** Of the settings; null if none are set. Throws `config_invalid` if one is missing. */
export function credentialsFrom({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: { [K in keyof Credentials]: string | null }): Credentials | null {
  if (accessKeyId !== null && secretAccessKey !== null) return { accessKeyId, secretAccessKey, sessionToken };
  if (accessKeyId === null && secretAccessKey === null) return null;
  const missing = accessKeyId === null ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
  throw wrong(missing, 'a value, as the other one of the pair has', 'none');
}

/** Where objects are: a bucket of an S3-compatible store, or a part of one. */
export interface ObjectAddress {
  /** `s3+https://objects.example.org/releases/north`, for messages: without credentials and parameters. */
  name: string;
  /** `https://objects.example.org`, without a trailing slash. */
  endpoint: string;
  bucket: string;
  /** Before every key: empty, or `north/`. */
  prefix: string;
  /** Null: as the host says (AWS, R2, Backblaze), otherwise `us-east-1`. */
  region: string | null;
  /** From the address itself; null where it has none. */
  credentials: Credentials | null;
}

const FORM = 's3+https://host[:port]/bucket[/prefix][?region=…]';
const PARAMETERS = ['region', 'unencrypted'];
/** The names that S3 allows; also safe in a path. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.~-]+(\/[\w.~-]+)*$/;
const REGION = /^[a-z0-9-]{1,40}$/i;

/** Of `s3+https://objects.example.org/releases/north?region=eu-west-1`. Throws `config_invalid`, without the secret. */
export function parseObjectAddress(text: string): ObjectAddress {
  const url = URL.parse(text.replace(/^s3\+/, ''));
  const isObjectAddress = /^s3\+https?:\/\//.test(text) && url !== null && url.hash === '';
  if (!isObjectAddress) throw wrong(text.replace(/:\/\/.*@/s, '://…@'), FORM, 'another address');
  const place = `s3+${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  checkParameters(url, place);
  const [bucket = '', ...rest] = decode(url.pathname, place).replace(/\/+$/, '').slice(1).split('/');
  if (!BUCKET.test(bucket))
    throw wrong(
      place,
      'the name of a bucket after the host: 3 to 63 lower-case letters, digits, hyphens and points',
      bucket === '' ? 'none' : JSON.stringify(bucket),
    );
  const prefix = rest.join('/');
  if (prefix !== '' && (!PREFIX.test(prefix) || rest.some((part) => /^\.+$/.test(part))))
    throw wrong(
      place,
      'a prefix of letters, digits, points, hyphens, underscores and slashes',
      JSON.stringify(prefix),
    );
  const region = url.searchParams.get('region');
  if (region !== null && !REGION.test(region)) throw wrong(place, 'a region like eu-west-1', 'another value');
  checkEncryption(url, place);
  return {
    name: place,
    endpoint: url.origin,
    bucket,
    prefix: prefix && `${prefix}/`,
    region,
    credentials: credentialsOf(url, place),
  };
}

function checkParameters(url: URL, place: string): void {
  for (const name of url.searchParams.keys()) {
    if (PARAMETERS.includes(name)) continue;
    const near = nearestName(name, PARAMETERS);
    throw wrong(place, `the parameter ${near ?? `one of ${PARAMETERS.join(', ')}`}`, `the parameter ${name}`);
  }
}

/** Restricted files are among the objects, so they cross a network only encrypted, or where the operator says otherwise. */
function checkEncryption(url: URL, place: string): void {
  const allowed = url.searchParams.get('unencrypted');
  if (allowed !== null && allowed !== 'true') throw wrong(place, 'unencrypted=true', 'another value');
  if (url.protocol === 'https:' || isLoopback(url) || allowed === 'true') return;
  throw wrong(place, 's3+https://, or the parameter unencrypted=true', 's3+http:// to another machine');
}

function credentialsOf(url: URL, place: string): Credentials | null {
  if (url.username === '' && url.password === '') return null;
  if (url.username === '' || url.password === '')
    throw wrong(place, 'an access key and its secret before the host, or neither', 'one of them');
  const given = { accessKeyId: decode(url.username, place), secretAccessKey: decode(url.password, place) };
  for (const name of ['accessKeyId', 'secretAccessKey'] as const)
    if (!SETTINGS[name].schema.safeParse(given[name]).success)
      throw wrong(place, SETTINGS[name].unit, 'another value');
  return { ...given, sessionToken: null };
}

function decode(text: string, place: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(place, 'an address in which % is followed by two hex digits', 'another one');
  }
}
