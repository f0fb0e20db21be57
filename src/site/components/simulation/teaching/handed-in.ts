import { formatToken } from '../../../../../pipeline/words/phrase.ts';
import { labelOf } from '../../../../simulation/decisions.ts';
import { type Action, type Run, replay } from '../../../../simulation/run.ts';
import { VERSIONS } from '../../../../simulation/versions.ts';
import { parseRunAddress, type RecordedRun } from '../run-address.ts';

/** Lines that are checked at once. */
export const MOST_LINES = 300;

/** A run that a pupil handed in, replayed. */
export interface HandedIn {
  /** The name or number beside the link, as given. */
  who: string;
  /** The query of the link; null if the line has none. */
  link: string | null;
  scenario: string;
  seed: string;
  choices: string;
  ending: string;
  verdict: 'finished' | 'not finished' | 'other version' | 'not valid';
  /** What is wrong, or the tick that the run has reached. */
  said: string;
}

const NOTHING = { link: null, scenario: '', seed: '', choices: '', ending: '' };
/** A link with a scenario, in whatever text. Mail programs put it in angle brackets, spreadsheets in quotation marks. */
const LINK = /[^\s"<>]*\?[^\s"<>]*scenario=[^\s"<>]*/;

/** One entry per line that is not empty. */
export function checkHandedIn(text: string): HandedIn[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(checkLine);
}

export function checkLine(line: string): HandedIn {
  const [found] = LINK.exec(line) ?? [];
  const who = nameIn(line.replace(found ?? '', ' '));
  if (!found) {
    const said = 'Expected a link with “?scenario=…”, found none in this line.';
    return { ...NOTHING, who, verdict: 'not valid', said };
  }
  // A sentence may go on after the link.
  const link = found.replaceAll('&amp;', '&').replace(/[.,;:)\]]+$/, '');
  const query = link.slice(link.indexOf('?') + 1).replace(/#.*$/, '');
  const parameters = new URLSearchParams(query);
  const aged = ageOf(parameters);
  try {
    const { run, faults } = parseRunAddress(parameters)!;
    if (faults.length > 0) throw new SyntaxError(faults.join(' '));
    return { who, link: `?${query}`, ...checked(run, aged) };
  } catch (error) {
    const { message } = error as Error;
    const verdict = aged === '' ? 'not valid' : 'other version';
    return { ...NOTHING, who, link: `?${query}`, verdict, said: `${aged}${message}` };
  }
}

/** Says so if the run was played with another version of its scenario. */
function ageOf(parameters: URLSearchParams): string {
  const [version, now] = [parameters.get('v'), VERSIONS[parameters.get('scenario')!]];
  if (version === null || now === undefined || version === now) return '';
  return `Played with version ${version} of the scenario, replayed with ${now}: the course may differ. `;
}

/** What is left beside the link, without the marks that held them apart. */
function nameIn(text: string): string {
  return text.replaceAll(/[\s"<>,;:|]+/g, ' ').replaceAll(/^[ .]+|[ .]+$/g, '');
}

/** A transcript that the page has saved. `name` is that of the file. */
export function checkTranscript(name: string, text: string): HandedIn {
  const who = name.replace(/\.json$/i, '');
  const address = addressIn(text);
  if (address !== null) return { ...checkLine(address), who };
  const said = 'Expected a transcript with its address, found none.';
  return { ...NOTHING, who, verdict: 'not valid', said };
}

function addressIn(text: string): string | null {
  try {
    const { address = null } = (JSON.parse(text) ?? {}) as { address?: unknown };
    return typeof address === 'string' ? address : null;
  } catch {
    return null;
  }
}

function checked(recorded: RecordedRun, aged: string): Omit<HandedIn, 'who' | 'link'> {
  const run = replay(recorded);
  const { scenario, world } = run;
  const title = scenario.endings.find(({ name }) => name === world.ending)?.title;
  const reached = title
    ? `Over after tick ${world.tick}.`
    : `Not over yet: tick ${world.tick} of at most ${scenario.horizon}.`;
  const course = title ? 'finished' : 'not finished';
  return {
    scenario: scenario.title,
    seed: String(recorded.seed),
    choices: choicesOf(run),
    ending: title ?? '',
    verdict: aged === '' ? course : 'other version',
    said: `${aged}${reached}`,
  };
}

/** In order: `Tell it in stages (cycles 9); Explain all of it (by default)`. */
function choicesOf({ scenario, world, actions }: Run): string {
  const byTime = world.taken
    .filter(({ isDefault }) => isDefault)
    .map(({ tick, choice }) => ({ tick, said: `${labelOf(choice, scenario)} (by default)` }));
  const byPlayer = actions.map(({ tick, name, parameters }) => ({
    tick,
    said: `${labelOf(name, scenario)}${inBrackets(parameters)}`,
  }));
  // At the beginning of a tick time decides, at its end the player.
  const all = [...byTime, ...byPlayer].toSorted((one, other) => one.tick - other.tick);
  return all.map(({ said }) => said).join('; ');
}

function inBrackets(parameters: Action['parameters']): string {
  const said = Object.entries(parameters).map(([name, value]) => `${formatToken(name)} ${value}`);
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

const COLUMNS = ['who', 'scenario', 'seed', 'choices', 'ending', 'verdict', 'said', 'link'] as const;

/** As in RFC 4180, except that lines end with a line feed. */
export function handedInCsv(rows: readonly HandedIn[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => cell(row[column] ?? '')).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
}

/** A text that begins like a formula gets an apostrophe: a spreadsheet would compute what somebody has pasted. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
