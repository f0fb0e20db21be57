import { signNote } from '../../pipeline/ledger/note.ts';
import { signerOf } from '../../pipeline/release/signing/publisher-key-file.ts';
import { readPublisherKeys } from '../../pipeline/release/signing/publisher-keys.ts';

/** Signs texts with all keys of a file, as a run does. */
export async function signerOfKeys(keyFile: string): Promise<(text: string) => string> {
  const [first, ...others] = (await readPublisherKeys(keyFile))!.map(signerOf);
  return (text) => signNote(text, first!, ...others);
}
