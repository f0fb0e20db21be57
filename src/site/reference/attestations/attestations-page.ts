import { MAX_BYTES } from '../../../../pipeline/attestation/limited-json.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { printable } from '../../../../pipeline/words/printable.ts';
import { loadFile, offerAgain } from '../../layout/load-file.ts';
import { makeButton, makeElement } from '../../layout/make-element.ts';
import { takeFiles } from '../../layout/take-files.ts';
import { drawPart, element, Tool } from '../../layout/tool.ts';
import type { AttestationAnswer, AttestationJob } from './attestations-worker.ts';
import type { Outcome } from './verdict-parts.ts';

const form = element('#verify-form');
const text = element<HTMLTextAreaElement>('#document');
const verdict = element('#verdict');
const draftForm = element<HTMLFormElement>('#draft-form');
const said = element('#registry-time');
/** The bytes of a file, which are what was signed; null for typed text. */
let taken: { name: string; bytes: Uint8Array } | null = null;

// A job takes an instant, and what fails is said where its result would stand.
const notice = makeElement('div', '');
const tool = new Tool<AttestationJob, AttestationAnswer>({
  script: form.dataset.worker!,
  place: form,
  notice,
});

/** What is trusted, as JSON: that of the page, which is all that it needs, or the newest. */
let registry = element('#registry').textContent;

/** The worker has the schemas and signatures, whose loading would hold up the page. */
function ask(place: HTMLElement, job: AttestationJob): void {
  tool.run('', () => job, {
    working() {},
    done: (answer) => show(place, answer as Outcome),
    failed: (message) => {
      showFailed(place, message);
      place.append(makeButton('Try again', () => ask(place, job)));
    },
  });
}

/** Lets the worker read a registry. */
function readRegistry(
  text: string,
  read: (timestamp: string) => void,
  failed: (message: string) => void,
): void {
  tool.run('', () => ({ kind: 'registry', registry: text }), {
    working() {},
    done: (answer) => read((answer as { timestamp: string }).timestamp),
    failed,
  });
}

/** Replaces what is in the place, and moves the focus to its title. */
function show(place: HTMLElement, { title, mark, parts }: Outcome): void {
  const heading = makeElement('h3', `verdict-title ${mark}`, title);
  heading.tabIndex = -1;
  place.replaceChildren(heading, ...parts.map(drawPart));
  place.hidden = false;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: 'nearest' });
}

/** Says why there is no verdict. */
function showFailed(place: HTMLElement, message: string): void {
  const parts = [{ tag: 'p', attributes: {}, children: [message] } as const];
  show(place, { title: place === verdict ? 'No verdict' : 'No document', mark: 'is-invalid', parts });
}

function verify(): void {
  const { name = null, bytes = text.value } = taken ?? {};
  ask(verdict, { kind: 'verify', registry, document: bytes, file: name, now: Date.now() });
}

async function take(file: File): Promise<void> {
  const { name } = file;
  try {
    // One byte over the limit is enough to detect a document that is too long.
    taken = { name, bytes: new Uint8Array(await file.slice(0, MAX_BYTES + 1).arrayBuffer()) };
  } catch {
    // A folder or a deleted file. The previous verdict must not appear to apply to it.
    const why = 'It is a folder, or it no longer exists. Nothing was verified.';
    return showFailed(verdict, `The browser cannot read ${printable(name)}. ${why}`);
  }
  text.value = new TextDecoder().decode(taken.bytes);
  verify();
}

/** Selects the place of a problem in the text, and scrolls to it, which not all browsers do. */
function select({ target }: Event): void {
  const { start, end } = (target as HTMLElement).closest<HTMLElement>('[data-start]')?.dataset ?? {};
  if (start === undefined) return;
  text.setSelectionRange(Number(start), Number(end));
  text.focus();
  text.scrollTop = heightOf(Number(start)) - text.clientHeight / 2;
}

/** How high the first characters of the text are as it wraps them, px. */
function heightOf(characters: number): number {
  const copy = text.cloneNode() as HTMLTextAreaElement;
  copy.removeAttribute('id');
  copy.style.cssText = `position: absolute; visibility: hidden; height: 0; min-height: 0; width: ${text.offsetWidth}px`;
  copy.value = text.value.slice(0, characters);
  text.after(copy);
  const { scrollHeight } = copy;
  copy.remove();
  return scrollHeight;
}

text.addEventListener('input', () => {
  taken = null;
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  verify();
});
takeFiles(form, text, (file) => void take(file));
verdict.addEventListener('click', select);

draftForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const given = [...new FormData(draftForm)].map(([name, value]) => [name, String(value).trim()]);
  ask(element('#draft'), { kind: 'draft', registry, given: Object.fromEntries(given), now: Date.now() });
});

/** Takes the service's current registry, requested only when the reader presses the button. */
async function refresh(): Promise<void> {
  const place = form.dataset.registry!;
  const kept = (error: Error) =>
    offerAgain(said, error, 'The page still uses the registry that it has.', () => void refresh());
  try {
    const text = await loadFile(place, (response) => response.text(), { cache: 'no-cache' });
    const read = (timestamp: string) => {
      registry = text;
      said.textContent = `Keys and ledger as of ${formatMoment(timestamp)}, from the service.`;
    };
    readRegistry(text, read, (message) => kept(new Error(`${place} cannot be read (${message})`)));
  } catch (error) {
    kept(error as Error);
  }
}

element('#refresh').addEventListener('click', () => void refresh());
// The worker begins with the page, so that nothing is requested later. Where it cannot, the first verdict says so.
readRegistry(
  registry,
  () => {},
  () => {},
);
