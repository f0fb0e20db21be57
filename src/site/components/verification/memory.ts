import { formatVerifierKey } from '../../../../pipeline/ledger/note.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { makeElement } from '../attestations/make-element.ts';
import { element } from './element.ts';
import { forget, type Remembered, recall, remember } from './remembered.ts';
import type { VerifiedRelease } from './verify-release.ts';

/** Says what this browser remembers, and lets the reader make it forget. */
export function beginRemembering(): void {
  element('#forget').addEventListener('click', () => {
    forget();
    tell();
  });
  tell();
}

/**
 * After a release whose steps all hold: where an earlier one is remembered, this one is in its place from now on; else a
 * button asks.
 */
export function offerToRemember(release: VerifiedRelease): Node[] {
  if (recall()) {
    remember(rememberedOf(release));
    tell();
    return [];
  }
  const button = makeElement('button', '', 'Remember this in this browser');
  button.type = 'button';
  button.addEventListener('click', () => {
    const isKept = remember(rememberedOf(release));
    button.replaceWith(makeElement('span', '', isKept ? 'Remembered.' : 'This browser gives no storage.'));
    tell();
  });
  return [makeElement('p', 'form-buttons', button)];
}

function rememberedOf({ manifest, latest, keys }: VerifiedRelease): Omit<Remembered, 'format'> {
  const { version, release, as_of, log } = manifest;
  return {
    version,
    release,
    as_of,
    sha256: latest.manifest.sha256,
    keys: keys.map(formatVerifierKey),
    log,
  };
}

function tell(): void {
  const kept = recall();
  element('#remembered').textContent = kept
    ? `This browser remembers release ${kept.release}, as of ${formatMoment(kept.as_of)}, with its checkpoint of the log.`
    : 'This browser remembers nothing yet.';
  element('#forget').hidden = kept === null;
}
