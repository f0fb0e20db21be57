import './without-eval.ts';
import { PublishedRegistry, REGISTRY_PATH } from '../../../../pipeline/attestation/published-registry.ts';
import { beginDrafting } from './draft-form.ts';
import { beginVerifying } from './verify-form.ts';

/** What the page was made with; it needs nothing else, from anywhere. */
const block = document.querySelector('#registry');
const registry = PublishedRegistry.parse(JSON.parse(block?.textContent ?? ''));

/** What the service has now, asked for by a button alone. Throws where it does not answer. */
async function fetchRegistry(): Promise<PublishedRegistry> {
  const response = await fetch(`/${REGISTRY_PATH}`, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return PublishedRegistry.parse(await response.json());
}

beginVerifying(registry, fetchRegistry);
beginDrafting(registry.wallets);
