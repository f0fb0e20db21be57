import { MAX_NOTE_BYTES, type NoteSignature, readSignatures } from '../../../pipeline/ledger/notes/note.ts';
import { formatMoment } from '../../../pipeline/words/moment.ts';
import { formatCount } from '../../../pipeline/words/number.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { makeElement } from '../layout/make-element.ts';
import { element } from '../layout/tool.ts';

/** Length of a cosignature in bytes: the time and an Ed25519 signature. */
const COSIGNATURE_BYTES = 8 + 64;
/** Notes that are asked for side by side. */
const AT_ONCE = 4;

/** What a line of a note claims, not verified. */
interface Signer {
  name: string;
  id: string;
  /** When a witness says that it saw the checkpoint; null for a signature without a time. */
  time: string | null;
}

interface SignedNote {
  origin: string;
  signers: readonly Signer[];
}

/** Null: there is no such note. Throws if the host does not answer, or with something else. */
async function readNote(path: string): Promise<SignedNote | null> {
  const answer = await fetch(path, { cache: 'no-cache' });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`the host answered ${answer.status}`);
  if (Number(answer.headers.get('content-length') ?? 0) > MAX_NOTE_BYTES) throw new Error('it is too long');
  const { text, signatures } = readSignatures(await answer.text(), path);
  return { origin: text.slice(0, text.indexOf('\n')), signers: signatures.map(signerOf) };
}

function signerOf({ name, id, signature }: NoteSignature): Signer {
  if (signature.length !== COSIGNATURE_BYTES) return { name, id, time: null };
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  const date = new Date(seconds * 1000);
  return { name, id, time: seconds > 0 && Number.isFinite(+date) ? date.toISOString() : null };
}

/** Each witness once, whatever the number of its keys and lines. */
function witnessesOf({ origin, signers }: SignedNote): string[] {
  return [...new Set(signers.map(({ name }) => name).filter((name) => name !== origin))];
}

function describe({ name, id, time }: Signer, origin: string): string {
  const role = name === origin ? 'the log’s own key' : time === null ? 'a key without a time' : 'witness';
  return `${name} (key ${id}), ${role}${time === null ? '' : `, ${formatMoment(time)}`}`;
}

/** Shows the signatures on the newest checkpoint. Returns whether there are witnesses. */
async function showNewest(): Promise<boolean> {
  const status = element('#signers-status');
  try {
    const note = await readNote('/log/checkpoint');
    if (note === null) throw new Error('this host has no /log/checkpoint');
    const witnesses = witnessesOf(note);
    status.textContent =
      witnesses.length === 0
        ? 'No witness has signed it yet.'
        : `${formatCount(witnesses.length, 'witness', 'witnesses')} signed it.`;
    element('#signers-list').replaceChildren(
      ...note.signers.map((signer) => makeElement('li', '', describe(signer, note.origin))),
    );
    return witnesses.length > 0;
  } catch (error) {
    status.textContent = `The note cannot be read: ${(error as Error).message}.`;
    return false;
  }
}

/** Fills the column of witnesses. A checkpoint from before the first witness has no note of its own. */
async function showWitnesses(): Promise<void> {
  for (const cell of document.querySelectorAll<HTMLElement>('[data-witnesses]')) cell.hidden = false;
  const rows = [...document.querySelectorAll<HTMLElement>('tr[data-size]')];
  const next = async (): Promise<void> => {
    const row = rows.shift();
    if (!row) return;
    const note = await readNote(`/log/cosigned/${row.dataset.size}`).catch(() => null);
    const names = note ? witnessesOf(note) : [];
    row.querySelector('[data-witnesses]')!.textContent = names.length === 0 ? 'none' : formatList(names);
    await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

void showNewest().then((isWitnessed) => (isWitnessed ? showWitnesses() : undefined));
