import { randomBytes } from 'node:crypto';
import { CathedralError } from '../errors.ts';
import { decodeBase64, encodeBase64 } from '../ledger/notes/base64.ts';
import { COSIGNATURE, formatCosignerKey } from '../ledger/notes/cosignature.ts';
import { type CosigningKey, cosigningKeyOf } from '../ledger/notes/cosigning-key.ts';
import { readPrivateFile, writePrivateFile } from '../ledger/notes/note-keys.ts';
import { formatTimestamp } from '../words/moment.ts';

/** `PRIVATE+KEY+name+id+base64(<type> ‖ <seed>) time`, as Go's sumdb/note has the first part. */
const LINE = /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*) \S+$/;
const SEED_BYTES = 32;
const HEADING =
  '# Keys of a witness. Keep them secret. Never use them with another record of what was cosigned, nor with an older one.\n';

/** The keys in a file; null if it does not exist. Throws config_invalid for a file that others can read or that holds no keys. */
export function readWitnessKeys(path: string): Promise<CosigningKey[] | null> {
  return readPrivateFile(path, parseWitnessKeys);
}

/** Makes a key. Call it under a lock. Throws publish_failed, and config_invalid for an invalid name. */
export async function createWitnessKeys(path: string, name: string, now: number): Promise<CosigningKey[]> {
  const seed = randomBytes(SEED_BYTES);
  const key = cosigningKeyOf(name, seed);
  const secret = encodeBase64(Uint8Array.of(COSIGNATURE, ...seed));
  const line = `PRIVATE+KEY+${name}+${key.cosigner.id}+${secret} ${formatTimestamp(now)}\n`;
  await writePrivateFile(path, HEADING + line);
  return [key];
}

/** Throws config_invalid. The error never shows what was found, which may be half a key. */
function parseWitnessKeys(text: string, place: string): CosigningKey[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map((line, index) => parseLine(line, `${place}, key ${index + 1}`));
  const ids = new Set(keys.map(({ cosigner }) => formatCosignerKey(cosigner)));
  if (keys.length > 0 && keys.length <= MOST_KEYS && ids.size === keys.length) return keys;
  throw invalid(
    place,
    `1 to ${MOST_KEYS} keys, each once`,
    `${keys.length} keys, ${ids.size} different ones`,
  );
}

const MOST_KEYS = 8;

function parseLine(line: string, place: string): CosigningKey {
  const [, name = '', id, base64 = ''] = LINE.exec(line) ?? [];
  const bytes = decodeBase64(base64);
  if (bytes?.length !== 1 + SEED_BYTES)
    throw invalid(place, 'PRIVATE+KEY+name+id+base64 of a witness’s key, and a time', 'something else');
  if (bytes[0] !== COSIGNATURE)
    throw invalid(place, `a key of type ${COSIGNATURE} (Ed25519)`, `one of type ${bytes[0]}`);
  const key = cosigningKeyOf(name, bytes.subarray(1));
  if (key.cosigner.id === id) return key;
  throw invalid(place, `the id ${key.cosigner.id} of this key`, 'another one');
}

function invalid(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found });
}
