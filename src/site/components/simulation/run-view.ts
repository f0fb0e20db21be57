import { scaleLinear, select } from 'd3';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import { formatToken } from '../../../../pipeline/words/phrase.ts';
import type { Debrief } from '../../../simulation/debrief.ts';
import { POSITIONS_FROM } from '../../../simulation/opinions.ts';
import type { Outlook } from '../../../simulation/outlooks.ts';
import type { SimulationUpdate } from '../../../simulation/protocol/session.ts';
import type { Parameter } from '../../../simulation/scenario.ts';
import type { Shown, ShownAction, ShownSentinel, ShownState } from '../../../simulation/view.ts';
import { POSITION_WORDS } from '../explore/position-words.ts';
import { describeStances } from './describe-change.ts';
import { MEASURES } from './measures.ts';

const ROW = 28;
const TOP = 26;
const NAMES = 88;
const RIGHT = 14;

/**
 * Draws each sentinel’s opinion as a dot on a line from rejection to adoption, with a stroke at its innate opinion and a tail
 * from its opinion in the previous tick. Dots keep their elements, so that CSS can animate them.
 */
export function drawStances(svg: SVGSVGElement, now: Shown, before: Shown | undefined, width: number): void {
  const x = scaleLinear([0, 1], [NAMES, width - RIGHT]);
  const y = (_: unknown, place: number) => TOP + ROW * place + ROW / 2;
  const height = TOP + ROW * now.sentinels.length + 4;
  const root = select(svg)
    .attr('viewBox', `0 0 ${width} ${height}`)
    .attr('width', width)
    .attr('height', height);
  root.attr('aria-label', `Opinions after tick ${now.tick}: ${describeStances(now)}.`);
  drawScale(svg, x, height);
  const then = new Map(before?.sentinels.map(({ id, opinion }) => [id, opinion]));
  const rows = root
    .selectAll<SVGGElement, ShownSentinel>('g.sentinel')
    .data(now.sentinels, ({ id }) => id)
    .join((enter) => {
      const row = enter.append('g').attr('class', 'sentinel');
      row
        .append('text')
        .attr('class', 'name')
        .attr('dy', '0.35em')
        .text(({ id }) => id);
      row.append('line').attr('class', 'track');
      row.append('line').attr('class', 'tail');
      row.append('line').attr('class', 'innate').attr('y1', -7).attr('y2', 7);
      row.append('circle').attr('r', 6.5);
      return row;
    });
  rows.attr('data-position', ({ position, status }) => (status === 'operational' ? position : status));
  rows.attr('transform', (_, place) => `translate(0 ${y(_, place)})`);
  rows.select('.track').attr('x1', x(0)).attr('x2', x(1));
  rows
    .select('.tail')
    .attr('x1', ({ id, opinion }) => x(then.get(id) ?? opinion))
    .attr('x2', ({ opinion }) => x(opinion));
  rows
    .select('.innate')
    .attr('x1', ({ innate_opinion: own }) => x(own))
    .attr('x2', ({ innate_opinion: own }) => x(own));
  rows.select('circle').attr('cx', ({ opinion }) => x(opinion));
}

function drawScale(svg: SVGSVGElement, x: (value: number) => number, height: number): void {
  const { abstain, support_with_conditions, support } = POSITIONS_FROM;
  select(svg)
    .selectAll('line.bound')
    .data([abstain, support_with_conditions, support])
    .join((enter) => enter.insert('line', 'g').attr('class', 'bound'))
    .attr('x1', x)
    .attr('x2', x)
    .attr('y1', TOP - 6)
    .attr('y2', height - 4);
  select(svg)
    .selectAll('text.end')
    .data([
      { words: '← rejects', at: 0, anchor: 'start' },
      { words: 'adopts →', at: 1, anchor: 'end' },
    ])
    .join((enter) => enter.append('text').attr('class', 'end'))
    .attr('x', ({ at }) => x(at))
    .attr('y', 14)
    .attr('text-anchor', ({ anchor }) => anchor)
    .text(({ words }) => words);
}

export type Act = (name: string, parameters: Readonly<Record<string, number | string>>) => void;

/** Shows forms for the open decisions, and for the actions that are possible at any time. */
export function showActions(place: HTMLElement, update: SimulationUpdate, act: Act): void {
  const { current_state: state, next_actions: actions } = update;
  const key = JSON.stringify([state.decisions, actions]);
  // Leave unchanged forms alone, because a reader may be filling one in.
  if (place.dataset.key === key) return;
  const hadFocus = place.contains(document.activeElement);
  place.dataset.key = key;
  const free = actions.filter(({ decision }) => decision === null);
  const heading = make('h3', { tabindex: '-1', id: 'actions-title' }, titleOf(state, actions));
  place.replaceChildren(
    heading,
    ...state.decisions.map((decision) => decisionPart(decision, state, actions, act)),
    ...(free.length > 0 ? [make('h4', {}, 'At any time')] : []),
    ...free.map((action) => actionForm(action, act)),
  );
  if (hadFocus) heading.focus();
}

function titleOf({ decisions, is_over }: ShownState, actions: readonly ShownAction[]): string {
  if (is_over) return 'The run is over';
  if (decisions.length > 0) return 'You decide';
  return actions.length > 0 ? 'No decision is pending' : 'No action is possible now';
}

function decisionPart(
  { name, title, prompt, until, otherwise }: ShownState['decisions'][number],
  { outlook }: ShownState,
  actions: readonly ShownAction[],
  act: Act,
): HTMLElement {
  const own = actions.filter(({ decision }) => decision === name);
  const fallback = own.find((action) => action.name === otherwise)?.label ?? formatToken(otherwise);
  const waiting = `Open until tick ${until}; then “${fallback}” is chosen.`;
  return make(
    'section',
    { class: 'to-decide' },
    make('h4', {}, title),
    make('p', {}, prompt),
    make('p', { class: 'note' }, waiting, outlook ? ` If you do not choose: ${outlookWords(outlook)}` : null),
    ...own.map((action) => actionForm(action, act)),
  );
}

function actionForm({ name, label, meaning, parameters, outlook }: ShownAction, act: Act): HTMLElement {
  const form = make(
    'form',
    { class: 'action', 'data-action': name, autocomplete: 'off' },
    ...Object.entries(parameters).map(([parameter, about]) =>
      field(`${name}-${parameter}`, parameter, about),
    ),
    make('button', { type: 'submit' }, label),
    make('p', {}, meaning),
    outlook ? make('p', { class: 'note' }, `Forecast: ${outlookWords(outlook)}`) : null,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = [...new FormData(form)].map(([parameter, value]) => {
      const isNumber = parameters[parameter]?.kind === 'number';
      return [parameter, isNumber ? Number(value) : String(value)];
    });
    act(name, Object.fromEntries(given));
  });
  return form;
}

function field(id: string, name: string, about: Parameter): HTMLElement {
  const label = make('label', { for: id }, `${formatToken(name)}, ${about.meaning}`);
  if (about.kind === 'number') {
    const { minimum, maximum } = about;
    const bounds = { min: String(minimum), max: String(maximum), step: 'any', required: '' };
    return make(
      'p',
      { class: 'field' },
      label,
      make('input', { id, name, type: 'number', value: String(about.default), ...bounds }),
    );
  }
  const options = about.values.map((value) =>
    make('option', { value, selected: value === about.default ? '' : null }, value),
  );
  return make('p', { class: 'field' }, label, make('select', { id, name }, ...options));
}

function outlookWords({ tick, deliberation, mean_opinion, mii, minting_active }: Outlook): string {
  const minting = minting_active ? 'minting on' : 'minting off';
  return `by tick ${tick} ${formatToken(deliberation)}, mean opinion ${formatNumber(mean_opinion, 2)}, index ${formatNumber(mii, 4)}, ${minting}.`;
}

/** Lists each sentinel with its position and reasons, in the order of the picture. Rows keep their elements. */
export function showVoices(list: HTMLElement, { sentinels }: Shown): void {
  while (list.children.length < sentinels.length) list.append(make('li', {}));
  while (list.children.length > sentinels.length) list.lastElementChild!.remove();
  for (const [place, sentinel] of sentinels.entries())
    showVoice(list.children[place] as HTMLElement, sentinel);
}

function showVoice(
  row: HTMLElement,
  { id, cathedral, position, status, opinion, reasoning }: ShownSentinel,
): void {
  const { words, form } = POSITION_WORDS[position];
  const key = `${id} ${status} ${reasoning}`;
  if (row.dataset.key === key) return;
  row.dataset.key = key;
  const stance = status === 'operational' ? words : status === 'offline' ? 'Offline' : 'Recused';
  const sign = make('span', { 'aria-hidden': 'true' }, status === 'operational' ? form : '–');
  row.replaceChildren(
    make(
      'p',
      { class: 'voice' },
      make('strong', {}, id),
      make('span', { class: 'muted' }, ` ${cathedral} `),
      make('span', { class: `stance ${position}` }, sign, ` ${stance}, ${formatNumber(opinion, 2)}`),
    ),
    make('p', {}, reasoning),
  );
}

interface Compared {
  label: string;
  shown: Shown;
}

/** Fills a table with a row per measure and a column per run. With two runs, differences are bold. */
export function showMeasures(table: HTMLElement, runs: readonly Compared[]): void {
  const head = make('tr', {}, make('th', { scope: 'col' }, 'Measure'));
  for (const { label } of runs) head.append(make('th', { scope: 'col', class: 'number' }, label));
  const rows = MEASURES.map(({ label, read }) => {
    const values = runs.map(({ shown }) => read(shown));
    const differs = new Set(values).size > 1;
    const cells = values.map((value, place) => {
      const text = differs && place === 0 ? make('strong', {}, value) : value;
      return make('td', { class: 'number' }, text);
    });
    return make('tr', {}, make('th', { scope: 'row' }, label), ...cells);
  });
  table.replaceChildren(make('thead', {}, head), make('tbody', {}, ...rows));
}

/** Shows the ending, the choices that led to it, and the effect of each formula. */
export function showDebrief(place: HTMLElement, debrief: Debrief | null): void {
  place.hidden = debrief === null;
  if (!debrief || place.dataset.key === JSON.stringify(debrief)) return;
  place.dataset.key = JSON.stringify(debrief);
  const { title, text, lesson, choices, explained } = debrief;
  place.replaceChildren(
    make('h3', {}, `Ending: ${title}`),
    make('p', {}, text),
    make('p', {}, lesson),
    make(
      'ul',
      {},
      ...choices.map(({ tick, decision, choice, by }) =>
        make(
          'li',
          {},
          `Tick ${tick}, ${decision}: ${formatToken(choice)}${by === 'time' ? ' (by default)' : ''}`,
        ),
      ),
    ),
    make('h4', {}, 'The effect of each formula'),
    make(
      'dl',
      { class: 'explained' },
      ...explained.flatMap(({ formula, equation, said }) => [
        make('dt', {}, formula),
        make('dd', {}, make('code', {}, equation), make('br', {}), said),
      ]),
    ),
  );
}

/** Creates an element with attributes and children. Null attributes and children are left out. */
function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | null>>,
  ...children: readonly (Node | string | null)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}
