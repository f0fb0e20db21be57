import { signNote } from '../../pipeline/ledger/notes/note.ts';
import { readNoteKeys, signerOf } from '../../pipeline/ledger/notes/note-keys.ts';

/** Signs texts with all keys of a file, as a run does. */
export async function signerOfKeys(keyFile: string): Promise<(text: string) => string> {
  const [first, ...others] = (await readNoteKeys(keyFile))!.map(signerOf);
  return (text) => signNote(text, first!, ...others);
}
