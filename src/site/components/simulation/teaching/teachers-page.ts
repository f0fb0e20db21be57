import { scenarioNamed } from '../../../../simulation/scenarios.ts';
import { addCopyButton } from '../../files/copy-button.ts';
import { makeElement, makeLink } from '../../make-element.ts';
import { saveFile } from '../../save-file.ts';
import { type Assignment, type AssignmentLink, assignmentLinks, readAssignment } from './assignment.ts';
import { checkHandedIn, checkTranscript, type HandedIn, handedInCsv, MOST_LINES } from './handed-in.ts';

const assignmentForm = document.querySelector<HTMLFormElement>('#assignment-form')!;
const handedInForm = document.querySelector<HTMLFormElement>('#handed-in-form')!;

function beginAssignment(form: HTMLFormElement): void {
  const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement & HTMLSelectElement;
  const made = form.querySelector<HTMLElement>('#assignment-made')!;
  const show = () => {
    const isEach = new FormData(form).get('seeds') === 'each';
    form.querySelector<HTMLElement>('[data-for="one"]')!.hidden = isEach;
    form.querySelector<HTMLElement>('[data-for="each"]')!.hidden = !isEach;
    const lever = field('lever').selectedOptions[0]!;
    form.querySelector<HTMLElement>('[data-for="lever"]')!.hidden = lever.value === '';
    const { least = '', most = '' } = lever.dataset;
    form.querySelector('[data-range]')!.textContent = `${least} to ${most}`;
  };
  form.addEventListener('input', show);
  show();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const entered = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const read = readAssignment(entered);
    const faults = 'faults' in read ? read.faults : {};
    for (const name of ['seed', 'pupils', 'stop', 'value']) tell(field(name), faults[name] ?? '');
    made.hidden = 'faults' in read;
    if ('faults' in read) {
      field(Object.keys(read.faults)[0]!).focus();
      return;
    }
    const links = assignmentLinks(read.assignment, form.dataset.page!);
    showLinks(made, links);
    fillSlips(read.assignment, links);
    made.focus();
  });
  form.querySelector('[data-do="print-slips"]')!.addEventListener('click', printSlips);
}

function tell(field: HTMLInputElement, fault: string): void {
  field.toggleAttribute('aria-invalid', fault !== '');
  if (fault !== '') field.setAttribute('aria-invalid', 'true');
  document.querySelector(`#${field.id}-fault`)!.textContent = fault;
}

function showLinks(made: HTMLElement, links: readonly AssignmentLink[]): void {
  made.querySelector('h3')!.textContent = links.length === 1 ? 'The link' : `${links.length} links`;
  made.querySelector('code')!.textContent = links
    .map(({ pupil, address }) => (pupil === null ? address : `${pupil}\t${address}`))
    .join('\n');
  const { clipboard } = navigator as { clipboard?: Navigator['clipboard'] };
  if (clipboard) addCopyButton(made.querySelector<HTMLElement>('.copyable')!, clipboard);
}

/** Slips to cut and hand out. They are on paper only. */
function fillSlips({ scenario, stop }: Assignment, links: readonly AssignmentLink[]): void {
  const { title } = scenarioNamed(scenario);
  const end = stop === null ? 'Play to the end.' : `Stop after day ${stop}.`;
  const slips = links.map(({ pupil, address }) => {
    const slip = makeElement('div', 'slip', makeElement('h2', '', title));
    if (pupil !== null) slip.append(makeElement('p', 'slip-number', `Number in the register: ${pupil}`));
    const steps = [
      'Write your prediction before you open the link.',
      `Open the link. ${end} Write down each decision with your reason.`,
      'Copy the link of your run under “Share or save it” and hand it in.',
    ];
    slip.append(
      makeElement('p', 'slip-link', address),
      makeElement('ol', '', ...steps.map((step) => makeElement('li', '', step))),
    );
    return slip;
  });
  document.querySelector('#slips')!.replaceChildren(...slips);
}

function printSlips(): void {
  document.body.dataset.print = 'slips';
  addEventListener('afterprint', () => delete document.body.dataset.print, { once: true });
  print();
}

const LABELS: Readonly<Record<Exclude<keyof HandedIn, 'link'>, string>> = {
  who: 'Who',
  scenario: 'Scenario',
  seed: 'Seed',
  choices: 'Choices',
  ending: 'Ending',
  verdict: 'Result',
  said: 'What was found',
};

function beginHandedIn(form: HTMLFormElement): void {
  const links = form.querySelector('textarea')!;
  const files = form.querySelector<HTMLInputElement>('input[type="file"]')!;
  const save = form.querySelector<HTMLButtonElement>('[data-do="save-csv"]')!;
  const status = form.querySelector('[data-part="checked"]')!;
  const results = form.querySelector<HTMLElement>('[data-part="results"]')!;
  let rows: readonly HandedIn[] = [];
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const lines = links.value.split('\n').filter((line) => line.trim() !== '');
    const given = lines.length + (files.files?.length ?? 0);
    if (given === 0 || given > MOST_LINES) {
      status.textContent = `Expected 1 to ${MOST_LINES} links and transcripts, found ${given}.`;
      return;
    }
    const transcripts = [...(files.files ?? [])].map(async (file) =>
      checkTranscript(file.name, await file.text()),
    );
    rows = [...checkHandedIn(links.value), ...(await Promise.all(transcripts))];
    results.replaceChildren(tableOf(rows));
    results.hidden = false;
    save.hidden = false;
    const good = rows.filter(({ verdict }) => verdict === 'finished').length;
    status.textContent = `${rows.length} checked: ${good} finished, ${rows.length - good} to look at.`;
  });
  save.addEventListener('click', () =>
    saveFile('handed-in.csv', new Blob([handedInCsv(rows)], { type: 'text/csv' })),
  );
}

function tableOf(rows: readonly HandedIn[]): HTMLTableElement {
  const names = Object.keys(LABELS) as (keyof typeof LABELS)[];
  const heads = names.map((name) => {
    const head = makeElement('th', '', LABELS[name]);
    head.scope = 'col';
    return head;
  });
  const body = rows.map((row) => {
    const cells = names.map((name) => {
      const text = row[name] || '–';
      if (name !== 'scenario' || row.link === null || row.scenario === '') return makeElement('td', '', text);
      return makeElement('td', '', makeLink(text, `/philosophy/simulation/${row.link}`));
    });
    const line = makeElement('tr', '', ...cells);
    line.dataset.verdict = row.verdict;
    return line;
  });
  return makeElement(
    'table',
    'handed-in',
    makeElement('thead', '', makeElement('tr', '', ...heads)),
    makeElement('tbody', '', ...body),
  );
}

beginAssignment(assignmentForm);
beginHandedIn(handedInForm);
