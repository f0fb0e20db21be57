import {
  type PublishedRegistry,
  timeAtLeast,
  trustOf,
} from '../../../pipeline/attestation/published-registry.ts';
import { MAX_BYTES } from '../../../pipeline/attestation/read-json.ts';
import { verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';
import { takeFiles } from '../take-files.ts';
import { formatMoment } from '../words/moment.ts';
import { showVerdict } from './show-verdict.ts';

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
  /** The bytes of a file, which are what its writer signed; null where the text was typed. */
  let bytes: Uint8Array | null = null;
  const verify = () => {
    const trust = trustOf(registry);
    const now = timeAtLeast(Date.now(), trust.registry);
    const verdict = verifyAttestation(bytes ?? text.value, { ...trust, now });
    showVerdict(place, verdict, text);
  };
  const take = async (file: File) => {
    // One byte more than there may be is enough to say that it is too long.
    bytes = new Uint8Array(await file.slice(0, MAX_BYTES + 1).arrayBuffer());
    text.value = new TextDecoder().decode(bytes);
    verify();
  };
  text.addEventListener('input', () => {
    bytes = null;
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
