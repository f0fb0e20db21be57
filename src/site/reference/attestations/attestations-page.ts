import './without-eval.ts';
import { PublishedRegistry, REGISTRY_PATH } from '../../../../pipeline/attestation/published-registry.ts';
import { beginDrafting } from './draft-form.ts';
import { beginVerifying } from './verify-form.ts';

/** The registry embedded in the page, which is all that it needs. */
const block = document.querySelector('#registry');
const registry = PublishedRegistry.parse(JSON.parse(block?.textContent ?? ''));

/** The service's current registry, requested only when the reader presses the button. Throws if the service does not answer. */
async function fetchRegistry(): Promise<PublishedRegistry> {
  const response = await fetch(`/${REGISTRY_PATH}`, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return PublishedRegistry.parse(await response.json());
}

beginVerifying(registry, fetchRegistry);
beginDrafting(registry.wallets);
