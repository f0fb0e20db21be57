import { COSIGNATURE, type Cosigner, type Signer } from '../ledger/notes/note.ts';
import {
  formatNoteKeys,
  type KeyFileKind,
  newNoteKey,
  parseNoteKeys,
  readPrivateFile,
  writePrivateFile,
} from '../ledger/notes/note-keys.ts';
import { signerFromSeed } from '../ledger/notes/signer-from-seed.ts';

const WITNESS: KeyFileKind = {
  heading:
    '# Keys of a witness. Keep them secret. Never use them with another record of what was cosigned, nor with an older one.\n',
  type: COSIGNATURE,
  what: 'a witness’s key',
};

/** The keys in a file; null if it does not exist. Throws config_invalid for a file that others can read or that holds no keys. */
export function readWitnessKeys(path: string): Promise<Signer<Cosigner>[] | null> {
  return readPrivateFile(path, (text, place) =>
    parseNoteKeys(text, place, WITNESS).map(({ name, seed }) => signerFromSeed(name, seed, COSIGNATURE)),
  );
}

/** Makes a key. Call it under a lock. Throws publish_failed, and config_invalid for an invalid name. */
export async function createWitnessKeys(
  path: string,
  name: string,
  now: number,
): Promise<Signer<Cosigner>[]> {
  const key = newNoteKey(name, now);
  await writePrivateFile(path, formatNoteKeys([key], WITNESS));
  return [signerFromSeed(name, key.seed, COSIGNATURE)];
}
