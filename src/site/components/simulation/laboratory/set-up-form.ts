import { capitalise, formatToken } from '../../../../../pipeline/words/phrase.ts';
import { ownLevers, type SetUp, sweptRanges } from '../../../../simulation/laboratory/set-up.ts';
import { LEVER_NAMES, LEVERS, type Lever } from '../../../../simulation/levers.ts';
import {
  AT_RANDOM,
  decisionsOf,
  type Plan,
  type Planned,
  type PlannedDecision,
} from '../../../../simulation/plan.ts';
import type { Parameter } from '../../../../simulation/scenario.ts';
import { scenarioNamed } from '../../../../simulation/scenarios.ts';
import { makeElement } from '../../make-element.ts';
import { numberRow } from './number-row.ts';
import { GROUP_OF, LEVER_GROUPS, parameterTitle } from './parameter-words.ts';

type Change = (part: Partial<Pick<SetUp, 'settings' | 'plan'>>) => void;

/** Fills the place with a slider for each parameter of the model. */
export function showSliders(place: HTMLElement, setUp: SetUp, change: Change): void {
  const own = ownLevers(setUp.scenario);
  const settings: Partial<Record<Lever, number>> = { ...setUp.settings };
  const row = (name: Lever) =>
    numberRow({
      id: `lever-${name}`,
      title: parameterTitle(setUp.scenario, name),
      ...LEVERS[name],
      own: own[name],
      ownName: 'scenario',
      value: settings[name] ?? own[name],
      change(value) {
        if (value === own[name]) delete settings[name];
        else settings[name] = value;
        change({ settings: { ...settings } });
      },
    });
  const groups = Object.entries(LEVER_GROUPS).map(([group, title]) => {
    const names = LEVER_NAMES.filter((name) => GROUP_OF[name] === group);
    const legend = makeElement('legend', '', title);
    return makeElement('fieldset', 'lever-group', legend, ...names.map(row));
  });
  place.replaceChildren(...groups);
}

const NOBODY = '';

/** Fills the place with a choice for each decision, and the parameters of what is chosen. */
export function showPlan(place: HTMLElement, setUp: SetUp, change: Change): void {
  const plan: Record<string, Plan[string]> = { ...setUp.plan };
  const set = (decision: string, planned: Plan[string] | null) => {
    if (planned) plan[decision] = planned;
    else delete plan[decision];
    change({ plan: { ...plan } });
  };
  const rows = decisionsOf(scenarioNamed(setUp.scenario)).map((decision) =>
    decisionRow(decision, plan[decision.name] ?? null, (planned) => set(decision.name, planned)),
  );
  place.replaceChildren(...rows);
}

function decisionRow(
  { name, title, otherwise, choices }: PlannedDecision,
  planned: Plan[string] | null,
  set: (planned: Plan[string] | null) => void,
): HTMLElement {
  const labelOf = (choice: string) => choices.find((one) => one.name === choice)!.label;
  const select = makeElement('select', '');
  select.id = `plan-${name}`;
  const chosen = planned === null ? NOBODY : planned === AT_RANDOM ? AT_RANDOM : planned.choice;
  const options: [string, string][] = [
    [NOBODY, `Nobody chooses: by default, ${labelOf(otherwise)}`],
    [AT_RANDOM, 'At random'],
    ...choices.map((choice): [string, string] => [choice.name, choice.label]),
  ];
  select.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  const label = makeElement('label', '', title);
  label.htmlFor = select.id;
  const more = makeElement('div', 'plan-parameters');
  const draw = (now: Plan[string] | null) => {
    if (now === null || now === AT_RANDOM) {
      more.replaceChildren();
      return;
    }
    let current = now;
    const choice = choices.find((one) => one.name === current.choice)!;
    const meaning = typeof choice.meaning === 'string' ? [makeElement('p', 'meaning', choice.meaning)] : [];
    more.replaceChildren(
      ...meaning,
      ...Object.entries(choice.parameters ?? {}).map(([key, about]) =>
        parameterRow(`plan-${name}-${key}`, key, about, current, (value) => {
          current = { ...current, parameters: { ...current.parameters, [key]: value } };
          set(current);
        }),
      ),
    );
  };
  select.addEventListener('change', () => {
    const now = plannedOf(choices, select.value);
    set(now);
    draw(now);
  });
  draw(planned);
  return makeElement('div', 'plan-row', label, select, more);
}

function plannedOf(choices: PlannedDecision['choices'], value: string): Plan[string] | null {
  if (value === NOBODY) return null;
  if (value === AT_RANDOM) return AT_RANDOM;
  const { parameters = {} } = choices.find(({ name }) => name === value)!;
  const defaults = Object.entries(parameters).map(([key, about]) => [key, about.default]);
  return { choice: value, parameters: Object.fromEntries(defaults) };
}

function parameterRow(
  id: string,
  name: string,
  about: Parameter,
  { parameters }: Planned,
  set: (value: number | string) => void,
): HTMLElement {
  const title = capitalise(formatToken(name));
  if (about.kind === 'number')
    return numberRow({
      id,
      title,
      meaning: about.meaning,
      least: about.minimum,
      most: about.maximum,
      own: about.default,
      ownName: 'default',
      value: Number(parameters[name] ?? about.default),
      change: set,
    });
  const select = makeElement('select', '');
  select.id = id;
  select.append(...about.values.map((value) => new Option(value, value, false, value === parameters[name])));
  select.addEventListener('change', () => set(select.value));
  const label = makeElement('label', '', `${title}: ${about.meaning}`);
  label.htmlFor = id;
  return makeElement('div', 'plan-row', label, select);
}

/** The options of the sweep, which follow the plan. Keeps what is chosen if it is still there. */
export function showSweepOptions(select: HTMLSelectElement, setUp: SetUp, each: string): void {
  const { sweep } = setUp;
  const chosen = sweep === null ? '' : typeof sweep === 'string' ? sweep : sweep.parameter;
  const options: [string, string][] = [
    ['', 'nothing'],
    [each, 'every parameter, one at a time'],
    ...sweptRanges(setUp).map(({ parameter }): [string, string] => [
      parameter,
      parameterTitle(setUp.scenario, parameter),
    ]),
  ];
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
}
