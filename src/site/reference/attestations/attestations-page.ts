import { makeElement } from '../../layout/make-element.ts';
import { element, Tool } from '../../layout/tool.ts';
import type { Ask, AttestationAnswer, AttestationJob } from './attestations-worker.ts';
import { beginDrafting } from './draft-form.ts';
import { beginVerifying } from './verify-form.ts';

const form = element('#verify-form');
// A job takes an instant, and what fails is said where its result would stand.
const notice = makeElement('div', '');
const tool = new Tool<AttestationJob, AttestationAnswer>({
  script: form.dataset.worker!,
  place: form,
  notice,
});

// The worker has the schemas and signatures, whose loading would hold up the page.
const ask: Ask = (job, done, failed) =>
  tool.run('', () => job, { working() {}, done: (answer) => done(answer as never), failed });

/** The service's current registry, requested only when the reader presses the button. Throws if the service does not answer. */
async function fetchRegistry(): Promise<string> {
  const response = await fetch(form.dataset.registry!, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return response.text();
}

const { trust } = beginVerifying(ask, fetchRegistry);
beginDrafting(ask);
// The registry embedded in the page, which is all that it needs. The worker begins with it, so that nothing is requested later.
trust(element('#registry').textContent);
