import { StepTool } from '../../layout/show-steps.ts';
import { element, followAddress, putAddress } from '../../layout/tool.ts';
import type { VersionJob } from './versions-worker.ts';

const form = element<HTMLFormElement>('#version-form');
const outcome = element('#version-outcome');
const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement | HTMLSelectElement;
const tool = new StepTool<VersionJob>(form.dataset.worker!, 'Stopped before the file was complete', 'h2');

/** The day whose end a text means, or in which its moment lies: midnight ends a day. Empty for another text. */
function dayOf(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const time = Date.parse(text.replace(/T(\d\d)Z$/, 'T$1:00Z'));
  return Number.isNaN(time) ? '' : new Date(time - 1).toISOString().slice(0, 10);
}

function show(path: string, asOf: string): void {
  const file = field('file') as HTMLSelectElement;
  // Also schemas and closed years have versions, and are not on the list.
  if (![...file.options].some(({ value }) => value === path)) file.add(new Option(path, path));
  file.value = path;
  tool.run(outcome, { path, asOf, base: outcome.dataset.base ?? location.origin });
}

function showAddress(): void {
  const query = new URLSearchParams(location.search);
  const [path = '', asOf = ''] = ['file', 'as_of'].map((name) => query.get(name)?.trim() ?? '');
  field('as_of').value = dayOf(asOf);
  tool.leave();
  outcome.hidden = path === '';
  if (path !== '') show(path.replace(/^\//, ''), asOf);
}

// The same address as without the script. The page stays, so that it can say what the host does not send.
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const chosen = ['file', 'as_of'].map((name) => [name, field(name).value]);
  putAddress(`${location.pathname}?${new URLSearchParams(chosen)}`);
  showAddress();
});
followAddress(showAddress);
