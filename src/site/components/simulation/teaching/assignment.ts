import { LEVERS, type Lever, type Settings } from '../../../../simulation/levers.ts';
import { SEEDS } from '../../../../simulation/run.ts';
import { SCENARIOS } from '../../../../simulation/scenarios.ts';
import { formatRunAddress } from '../run-address.ts';

/** Pupils in a list of links. */
export const MOST_PUPILS = 60;

export interface Assignment {
  scenario: string;
  seed: number;
  /** How many pupils get a seed of their own, by their number in the register; null: one seed for all. */
  pupils: number | null;
  settings: Settings;
  /** The tick at which to stop; null: at the end of the run. */
  stop: number | null;
}

/** What was entered, by the name of the field. */
export type Entered = Readonly<Record<string, string>>;

/** The assignment, or by field what is wrong with it. */
export type ReadAssignment = { assignment: Assignment } | { faults: Readonly<Record<string, string>> };

export function readAssignment(entered: Entered): ReadAssignment {
  const faults: Record<string, string> = {};
  const whole = (name: string, least: number, most: number): number => {
    const text = (entered[name] ?? '').trim();
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    faults[name] = `Expected a whole number from ${least} to ${most}, found ${JSON.stringify(text)}.`;
    return least;
  };
  const scenario = SCENARIOS.find(({ name }) => name === entered.scenario);
  if (!scenario) faults.scenario = `Expected a scenario of the list, found “${entered.scenario}”.`;
  const isEach = entered.seeds === 'each';
  const pupils = isEach ? whole('pupils', 1, MOST_PUPILS) : null;
  const seed = isEach ? 1 : whole('seed', 0, SEEDS - 1);
  const stop =
    (entered.stop ?? '').trim() === ''
      ? null
      : whole('stop', 1, scenario?.horizon ?? Number.MAX_SAFE_INTEGER);
  const settings = readSetting(entered, faults);
  if (Object.keys(faults).length > 0) return { faults };
  return { assignment: { scenario: scenario!.name, seed, pupils, settings, stop } };
}

function readSetting({ lever = '', value = '' }: Entered, faults: Record<string, string>): Settings {
  if (lever === '') return {};
  if (!Object.hasOwn(LEVERS, lever)) {
    faults.lever = `Expected a parameter of the list, found “${lever}”.`;
    return {};
  }
  const { least, most } = LEVERS[lever as Lever];
  const number = Number(value.trim());
  if (value.trim() !== '' && number >= least && number <= most) return { [lever]: number };
  faults.value = `Expected a number from ${least} to ${most}, found ${JSON.stringify(value.trim())}.`;
  return {};
}

export interface AssignmentLink {
  /** Of the pupil in the register; null if the link is for all. */
  pupil: number | null;
  seed: number;
  address: string;
}

/** `page` is the address of the page on which one plays. */
export function assignmentLinks(
  { scenario, seed, pupils, settings }: Assignment,
  page: string,
): AssignmentLink[] {
  const link = (pupil: number | null, own: number) => {
    const query = new URLSearchParams(
      formatRunAddress({ scenario, seed: own, settings, actions: [], tick: 0 }),
    );
    // Without a tick the page tells the story first; with one it would resume a run.
    query.delete('tick');
    return { pupil, seed: own, address: `${page}?${query}` };
  };
  if (pupils === null) return [link(null, seed)];
  return Array.from({ length: pupils }, (_, i) => link(i + 1, i + 1));
}
