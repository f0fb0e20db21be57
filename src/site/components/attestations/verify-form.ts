import { type PublishedRegistry, trustOf } from '../../../../pipeline/attestation/published-registry.ts';
import { MAX_BYTES } from '../../../../pipeline/attestation/read-json.ts';
import { verifyAttestation } from '../../../../pipeline/attestation/verify-attestation.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { takeFiles } from '../take-files.ts';
import { showUnread, showVerdict } from './show-verdict.ts';

/** Makes the form verify what is pasted, dropped or chosen. No request is sent but by the button that says so. */
export function beginVerifying(
  first: PublishedRegistry,
  fetchRegistry: () => Promise<PublishedRegistry>,
): void {
  const form = document.querySelector<HTMLFormElement>('#verify-form');
  const text = document.querySelector<HTMLTextAreaElement>('#document');
  const place = document.querySelector<HTMLElement>('#verdict');
  if (!form || !text || !place) return;
  let registry = first;
  /** A file: its bytes are what its writer signed; null where the text was typed. */
  let taken: { name: string; bytes: Uint8Array } | null = null;
  const verify = () => {
    const trust = { ...trustOf(registry), now: Date.now() };
    const verdict = verifyAttestation(taken?.bytes ?? text.value, trust);
    showVerdict(place, verdict, text, taken?.name ?? null);
  };
  const take = async (file: File) => {
    const { name } = file;
    try {
      // One byte more than there may be is enough to say that it is too long.
      taken = { name, bytes: new Uint8Array(await file.slice(0, MAX_BYTES + 1).arrayBuffer()) };
    } catch {
      // A folder, or a file that is gone: what was verified before must not seem to be the verdict on it.
      return showUnread(place, name);
    }
    text.value = new TextDecoder().decode(taken.bytes);
    verify();
  };
  text.addEventListener('input', () => {
    taken = null;
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    verify();
  });
  takeFiles(form, text, (file) => void take(file));
  beginRefreshing(form, async () => {
    registry = await fetchRegistry();
    return registry.timestamp;
  });
}

function beginRefreshing(form: HTMLFormElement, refresh: () => Promise<string>): void {
  const button = form.querySelector<HTMLButtonElement>('#refresh');
  const said = document.querySelector<HTMLElement>('#registry-time');
  if (!button || !said) return;
  button.addEventListener('click', () => {
    refresh().then(
      (timestamp) => {
        said.textContent = `Keys and ledger as of ${formatMoment(timestamp)}, from the service.`;
      },
      (error: Error) => {
        said.textContent = `The service could not be asked: ${error.message} What the page has is still in use.`;
      },
    );
  });
}
