import { formatCount, formatNumber } from '../../../../../pipeline/words/number.ts';
import type { RunRow } from '../../../../simulation/laboratory/run-row.ts';
import {
  BATCH_LIMITS,
  EACH,
  ownLevers,
  runCount,
  type SetUp,
  seedCount,
  sweptRanges,
  wholeSweep,
} from '../../../../simulation/laboratory/set-up.ts';
import type { Lever } from '../../../../simulation/levers.ts';
import { AT_RANDOM } from '../../../../simulation/plan.ts';
import { SEEDS } from '../../../../simulation/run.ts';
import { VERSIONS } from '../../../../simulation/versions.ts';
import { makeButton, makeElement } from '../../make-element.ts';
import { partsOf } from '../page-parts.ts';
import { describeVariant } from './parameter-words.ts';
import { playInWorker } from './play-in-worker.ts';
import { PRESETS, randomPlan } from './presets.ts';
import {
  type BatchResults,
  showDistributions,
  showEndings,
  showSeeds,
  showSummary,
  showSweep,
} from './results-view.ts';
import { saveBatch } from './save-batch.ts';
import { formatSetUpAddress, newSetUp, type ParsedAddress, parseSetUpAddress } from './set-up-address.ts';
import { showPlan, showSliders, showSweepOptions } from './set-up-form.ts';

const page = document.querySelector<HTMLElement>('#laboratory')!;

const { part, field } = partsOf(page);

function tell(text: string): void {
  part('status').textContent = text;
}

let setUp: SetUp = newSetUp(field('scenario').value);
/** The comparison that a reader has kept, for when the choice returns to it. */
let kept: SetUp['compared'] = null;
let results: BatchResults | null = null;
let stop: (() => void) | null = null;

/** Shows a set-up in all fields. */
function showSetUp(): void {
  field('scenario').value = setUp.scenario;
  field('first').value = String(setUp.seeds.from);
  field('count').value = String(seedCount(setUp));
  showSliders(part('sliders'), setUp, change);
  showPlan(part('plan'), setUp, change);
  showRest();
}

function change(changed: Partial<SetUp>): void {
  setUp = { ...setUp, ...changed };
  if ('plan' in changed && typeof setUp.sweep === 'object' && setUp.sweep) {
    const { parameter } = setUp.sweep;
    // What is swept may be a parameter of a choice that is no longer planned.
    if (!sweptRanges(setUp).some((range) => range.parameter === parameter)) setUp.sweep = null;
  }
  showRest();
}

/** What follows from the rest of the set-up. */
function showRest(): void {
  const { settings, sweep, compared } = setUp;
  showSweepOptions(field<HTMLSelectElement>('sweep'), setUp, EACH);
  part('sweep-range').hidden = sweep === null || sweep === EACH;
  if (sweep && sweep !== EACH) {
    // A field that a reader is typing in is left alone.
    for (const [name, value] of [
      ['sweep-from', sweep.from],
      ['sweep-to', sweep.to],
      ['sweep-values', sweep.values],
    ] as const)
      if (document.activeElement !== field(name)) field(name).value = String(value);
  }
  const changed = Object.keys(settings).length;
  part('changed').textContent =
    changed === 0 ? 'All as in the scenario.' : `${formatCount(changed, 'change')}.`;
  part<HTMLButtonElement>('reset').disabled = changed === 0;
  const isOwn = compared !== null && isEmpty(compared);
  field<HTMLSelectElement>('compare').value = compared === null ? '' : isOwn ? 'own' : 'kept';
  const keptOption = field('compare').querySelector<HTMLOptionElement>('[value="kept"]')!;
  keptOption.disabled = kept === null;
  part('kept').textContent =
    compared && !isOwn ? describeVariant({ scenario: setUp.scenario, ...compared }).join(' ') : '';
  const runs = runCount(setUp);
  part('run').textContent = `Run the batch (${formatCount(runs, 'run')})`;
  const isTooMany = runs > BATCH_LIMITS.runs.most;
  part('too-many').textContent = isTooMany
    ? `At most ${formatNumber(BATCH_LIMITS.runs.most)} runs fit into one batch; this set-up has ${formatNumber(runs)}. Take fewer seeds, or sweep one parameter.`
    : '';
  const isOther =
    results !== null && formatSetUpAddress(results.setUp) !== formatSetUpAddress(setUp) && stop === null;
  part('stale').hidden = !isOther;
}

function isEmpty({ settings, plan }: NonNullable<SetUp['compared']>): boolean {
  return Object.keys(settings).length + Object.keys(plan).length === 0;
}

/** Reads a number field. Null, with a message beside it, if it is out of range. */
function readField(
  name: string,
  { least, most, isWhole = true }: { least: number; most: number; isWhole?: boolean },
) {
  const input = field(name);
  const value = input.valueAsNumber;
  const isRight = value >= least && value <= most && (!isWhole || Number.isInteger(value));
  const fault = part(`${name}-fault`);
  const kind = isWhole ? 'a whole number' : 'a number';
  const found = input.validity.badInput ? 'something else' : input.value === '' ? 'nothing' : input.value;
  fault.textContent = isRight ? '' : `Expected ${kind} from ${least} to ${most}, found ${found}.`;
  if (isRight) input.removeAttribute('aria-invalid');
  else input.setAttribute('aria-invalid', 'true');
  return isRight ? value : null;
}

function readSeeds(): void {
  const from = readField('first', { least: 0, most: SEEDS - 1 });
  const count = readField('count', {
    least: 1,
    most: Math.min(BATCH_LIMITS.seeds.most, SEEDS - (from ?? 0)),
  });
  if (from !== null && count !== null) change({ seeds: { from, to: from + count - 1 } });
}

function readSweep(): void {
  const { sweep } = setUp;
  if (sweep === null || sweep === EACH) return;
  const range = sweptRanges(setUp).find(({ parameter }) => parameter === sweep.parameter)!;
  const from = readField('sweep-from', { ...range, isWhole: false });
  const to = readField('sweep-to', { least: from ?? range.least, most: range.most, isWhole: false });
  const values = readField('sweep-values', BATCH_LIMITS.values);
  if (from === null || to === null || values === null) return;
  if (to === from) {
    part('sweep-to-fault').textContent = `Expected more than ${from}, found ${to}.`;
    field('sweep-to').setAttribute('aria-invalid', 'true');
    return;
  }
  change({ sweep: { ...sweep, from, to, values } });
}

function chooseSweep(): void {
  const { value } = field<HTMLSelectElement>('sweep');
  const range = sweptRanges(setUp).find(({ parameter }) => parameter === value);
  change({ sweep: value === EACH ? EACH : range ? wholeSweep(range) : null });
  for (const name of ['sweep-from', 'sweep-to', 'sweep-values']) {
    field(name).removeAttribute('aria-invalid');
    part(`${name}-fault`).textContent = '';
  }
}

function chooseComparison(): void {
  const { value } = field<HTMLSelectElement>('compare');
  change({ compared: value === 'own' ? { settings: {}, plan: {} } : value === 'kept' ? kept : null });
}

function start(): void {
  const wrong = page.querySelector<HTMLElement>('form [aria-invalid="true"]');
  if (wrong) {
    tell('A number in the set-up is out of range. Nothing was run.');
    wrong.focus();
    return;
  }
  if (stop || runCount(setUp) > BATCH_LIMITS.runs.most) return;
  const played = setUp;
  const of = runCount(played);
  const began = performance.now();
  const progress = part<HTMLProgressElement>('progress');
  progress.max = of;
  showProgress([], of);
  part('halted').hidden = true;
  setRunning(true);
  tell(`Playing ${formatCount(of, 'run')} …`);
  history.replaceState(null, '', formatSetUpAddress(played));
  let latest: readonly RunRow[] = [];
  const end = playInWorker(page.dataset.worker!, played, {
    progress(rows) {
      latest = rows;
      showProgress(rows, of);
    },
    done(rows) {
      setRunning(false);
      const seconds = formatNumber((performance.now() - began) / 1000, 1);
      tell(`Done: ${formatCount(of, 'run')} in ${seconds} s.`);
      showResults({ setUp: played, rows });
    },
    failed: (reason, rows) =>
      halt({ setUp: played, rows }, `The batch stopped, because its worker failed. ${reason}`),
  });
  stop = () => {
    end();
    halt({ setUp: played, rows: latest }, 'Cancelled.');
  };
}

function showProgress(rows: readonly RunRow[], of: number): void {
  part<HTMLProgressElement>('progress').value = rows.length;
  part('count').textContent = `${formatNumber(rows.length)} of ${formatNumber(of)}`;
}

function setRunning(isRunning: boolean): void {
  if (!isRunning) stop = null;
  const hadFocus = part('cancel').contains(document.activeElement);
  part('running').hidden = !isRunning;
  part('run').hidden = isRunning;
  if (isRunning) part('cancel').focus();
  else if (hadFocus) part('run').focus();
}

/** A batch that did not come to its end: the reader decides about what there is of it. */
function halt(partial: BatchResults, why: string): void {
  setRunning(false);
  const { rows, setUp: played } = partial;
  const of = runCount(played);
  tell(`${why} ${formatNumber(rows.length)} of ${formatCount(of, 'run')} were played.`);
  const place = part('halted');
  place.hidden = rows.length === 0;
  if (rows.length === 0) return;
  const answer = (text: string, press: () => void) =>
    makeButton(text, () => {
      place.hidden = true;
      press();
    });
  place.replaceChildren(
    answer(`Keep the ${formatCount(rows.length, 'run')} so far`, () => {
      tell(`Partial results: ${formatNumber(rows.length)} of ${formatCount(of, 'run')}.`);
      showResults(partial);
    }),
    answer('Discard them', () => {
      tell('Discarded.');
      part('run').focus();
    }),
  );
  place.querySelector('button')!.focus();
}

function showResults(shown: BatchResults): void {
  results = shown;
  const { setUp: played } = shown;
  part('results').hidden = false;
  showSummary(part('summary'), shown);
  showEndings(part<HTMLTableElement>('endings'), shown);
  showSeeds(part('seeds'), shown);
  showDistributions(part('distributions'), shown);
  part('sweep-part').hidden = !shown.rows.some(({ part: place }) => place > (played.compared ? 1 : 0));
  const own = ownLevers(played.scenario);
  showSweep(part('sweep-results'), shown, (parameter) => {
    const [first, key] = parameter.split('.') as [string, string | undefined];
    if (key === undefined) return played.settings[first as Lever] ?? own[first as Lever];
    const planned = played.plan[first];
    return planned && planned !== AT_RANDOM ? Number(planned.parameters[key]) : null;
  });
  page.querySelector('[data-part="link"] code')!.textContent = addressOf(played);
  showRest();
  part('results-title').focus();
}

function addressOf(played: SetUp): string {
  return `${location.origin}${location.pathname}${formatSetUpAddress(played)}`;
}

const DOINGS: Readonly<Record<string, () => void>> = {
  cancel: () => stop?.(),
  reset() {
    setUp = { ...setUp, settings: {} };
    showSetUp();
    tell('All parameters are the scenario’s own again.');
  },
  random() {
    change({ plan: randomPlan(setUp.scenario) });
    showPlan(part('plan'), setUp, change);
  },
  nobody() {
    change({ plan: {} });
    showPlan(part('plan'), setUp, change);
  },
  keep() {
    const { settings, plan, scenario } = results!.setUp;
    kept = { settings, plan };
    if (scenario !== setUp.scenario) setUp = newSetUp(scenario);
    change({ compared: kept });
    showSetUp();
    tell('This set-up is kept as the comparison. Change something and run again.');
    part('run').focus();
  },
  own() {
    setUp = { ...results!.setUp, compared: { settings: {}, plan: {} } };
    showSetUp();
    start();
  },
};

/** The links of the experiments set up the scenario that is chosen. */
function linkPresets(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-preset]')) {
    const preset = PRESETS.find(({ name }) => name === link.dataset.preset)!;
    link.href = formatSetUpAddress(preset.setUp(setUp.scenario), { withSeeds: false });
  }
}

function choosePreset(event: MouseEvent, name: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  setUp = PRESETS.find((preset) => preset.name === name)!.setUp(setUp.scenario);
  showSetUp();
  tell('Set up. Guess what will come out, then run it.');
  part('run').scrollIntoView({ block: 'center' });
  part('run').focus({ preventScroll: true });
}

function open(): void {
  const query = new URLSearchParams(location.search);
  if (query.size === 0) {
    showSetUp();
    return;
  }
  const parsed = parseSetUpAddress(query);
  setUp = parsed.setUp;
  if (setUp.compared && !isEmpty(setUp.compared)) kept = setUp.compared;
  showSetUp();
  showFaults(parsed);
  if (parsed.faults.length > 0) tell('The link is not quite right; see above. What is valid is set up.');
  else if (parsed.isComplete && runCount(setUp) <= BATCH_LIMITS.runs.most) start();
  else tell('Set up as in the link.');
}

function showFaults({ faults, otherVersion, setUp: { scenario } }: ParsedAddress): void {
  const items = faults.map(({ place, expected, found, used }) =>
    makeElement(
      'li',
      '',
      makeElement('code', '', place),
      `: expected ${expected}; found “${found}”. ${used}`,
    ),
  );
  const version =
    otherVersion === null
      ? []
      : [
          makeElement(
            'p',
            '',
            `The link was made with version ${otherVersion} of this scenario. This page has version ${VERSIONS[scenario]}, with which the runs may end otherwise.`,
          ),
        ];
  const list =
    items.length > 0
      ? [makeElement('p', '', 'Not everything in the link can be used:'), makeElement('ul', '', ...items)]
      : [];
  part('faults').replaceChildren(...version, ...list);
  part('faults').hidden = version.length + list.length === 0;
}

function begin(): void {
  part('form').hidden = false;
  part('form').addEventListener('submit', (event) => {
    event.preventDefault();
    start();
  });
  field('scenario').addEventListener('change', () => {
    const { seeds } = setUp;
    kept = null;
    setUp = { ...newSetUp(field('scenario').value), seeds };
    showSetUp();
    linkPresets();
  });
  for (const name of ['first', 'count']) field(name).addEventListener('input', readSeeds);
  for (const name of ['sweep-from', 'sweep-to', 'sweep-values'])
    field(name).addEventListener('input', readSweep);
  field('sweep').addEventListener('change', chooseSweep);
  field('compare').addEventListener('change', chooseComparison);
  document.addEventListener('click', (event) => {
    const target = (event.target as Element).closest<HTMLElement>('[data-do], [data-save], [data-preset]');
    if (target?.dataset.do) DOINGS[target.dataset.do]?.();
    else if (target?.dataset.save) saveBatch(target.dataset.save, results!, addressOf(results!.setUp));
    else if (target?.dataset.preset) choosePreset(event, target.dataset.preset);
  });
  // A page that is kept for the Back button would keep its worker.
  addEventListener('pagehide', () => stop?.());
  addEventListener('popstate', () => location.reload());
  open();
  linkPresets();
}

begin();
