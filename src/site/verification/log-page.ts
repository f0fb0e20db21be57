import { MAX_NOTE_BYTES, type NoteSignature, readSignatures } from '../../../pipeline/ledger/notes/note.ts';
import { formatMoment } from '../../../pipeline/words/moment.ts';
import { formatCount } from '../../../pipeline/words/number.ts';
import { loadFile, offerAgain } from '../layout/load-file.ts';
import { makeElement } from '../layout/make-element.ts';
import { element } from '../layout/tool.ts';

const NOTE = '/log/checkpoint';
/** Length of a cosignature in bytes: the time and an Ed25519 signature. */
const COSIGNATURE_BYTES = 8 + 64;

/** What a line of the note claims, not verified: `example.org (key 1a2b3c4d), witness, 1 January 2026, 06:00 UTC`. */
function describe({ name, id, signature }: NoteSignature, origin: string): string {
  const time = timeOf(signature);
  const role = name === origin ? 'the log’s own key' : time === null ? 'a key without a time' : 'witness';
  return `${name} (key ${id}), ${role}${time === null ? '' : `, ${formatMoment(time)}`}`;
}

/** When a witness says that it saw the checkpoint; null for a signature without a time. */
function timeOf(signature: Uint8Array): string | null {
  if (signature.length !== COSIGNATURE_BYTES) return null;
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  const date = new Date(seconds * 1000);
  return seconds > 0 && Number.isFinite(+date) ? date.toISOString() : null;
}

async function readNote(answer: Response) {
  if (Number(answer.headers.get('content-length') ?? 0) > MAX_NOTE_BYTES) throw new Error('it is too long');
  return readSignatures(await answer.text(), NOTE);
}

/** Lists the signatures on the newest checkpoint. Throws if the host does not answer, or with something else. */
async function showSignatures(): Promise<string> {
  const { text, signatures } = await loadFile(NOTE, readNote, { cache: 'no-cache' });
  const origin = text.slice(0, text.indexOf('\n'));
  const items = signatures.map((one) => makeElement('li', '', describe(one, origin)));
  element('#signers-list').replaceChildren(...items);
  const witnesses = new Set(signatures.map(({ name }) => name).filter((name) => name !== origin));
  return witnesses.size === 0
    ? 'No witness has signed it yet.'
    : `${formatCount(witnesses.size, 'witness', 'witnesses')} signed it.`;
}

function show(): void {
  const status = element('#signers-status');
  showSignatures().then(
    (words) => {
      status.textContent = words;
    },
    (error) => offerAgain(status, error, 'So it is not known here who signed it.', show),
  );
}

show();
