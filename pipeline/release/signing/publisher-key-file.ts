import { CathedralError } from '../../errors.ts';
import { decodeBase64, encodeBase64 } from '../../ledger/base64.ts';
import type { Signer } from '../../ledger/note.ts';
import { signerFromSeed } from '../../ledger/signer-from-seed.ts';
import { MOST_KEYS } from '../format/public-manifest.ts';

/** A signing key of the publisher: a name and the 32-byte secret of RFC 8032. */
export interface PublisherKey {
  name: string;
  seed: Uint8Array;
  /** ISO 8601. */
  made: string;
}

const SEED_BYTES = 32;
/** The format of Go's golang.org/x/mod/sumdb/note, so that other programs can sign with it too. */
const LINE = /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;
const ED25519 = 0x01;

const HEADING =
  '# Keys that sign releases, the one that stays first. Keep them secret, and keep a copy of them.\n';

export function signerOf({ name, seed }: PublisherKey): Signer {
  return signerFromSeed(name, seed);
}

/** The text of a key file: `PRIVATE+KEY+<name>+<id>+<base64 of 0x01 and the seed> <when it was made>`, a line each. */
export function formatPublisherKeys(keys: readonly PublisherKey[]): string {
  const lines = keys.map((key) => {
    const secret = encodeBase64(Uint8Array.of(ED25519, ...key.seed));
    return `PRIVATE+KEY+${key.name}+${signerOf(key).verifier.id}+${secret} ${key.made}\n`;
  });
  return HEADING + lines.join('');
}

/** Throws config_invalid. The error never shows what was found, which may be half a key. */
export function parsePublisherKeys(text: string, place: string): PublisherKey[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map((line, index) => parseLine(line, `${place}, key ${index + 1}`));
  const ids = new Set(keys.map((key) => signerOf(key).verifier.id));
  if (keys.length > 0 && keys.length <= MOST_KEYS && ids.size === keys.length) return keys;
  throw badFile(place, `1 to ${MOST_KEYS} keys, each once`, `${keys.length} lines, ${ids.size} keys`);
}

function parseLine(line: string, place: string): PublisherKey {
  const [, name = '', id, base64 = '', made = ''] = LINE.exec(line) ?? [];
  const bytes = decodeBase64(base64);
  if (bytes?.length !== 1 + SEED_BYTES || bytes[0] !== ED25519)
    throw badFile(place, 'PRIVATE+KEY+name+id+base64 of an Ed25519 key, and a time', 'something else');
  const key = { name, seed: bytes.subarray(1), made };
  const expected = signerOf(key).verifier.id;
  if (expected !== id) throw badFile(place, `the id ${expected} of this key`, 'another one');
  return key;
}

function badFile(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found });
}
