import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { csvParse, csvParseRows } from 'd3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replay, SEEDS } from '../../src/simulation/run.ts';
import { RUN_COLUMNS, RUN_HEADER } from '../../src/simulation/run-columns.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { show } from '../../src/simulation/view.ts';
import { assertOneForm } from '../artifacts/one-form.ts';
import { RunningCli, runCli, runHere } from './run-cli.ts';

const NAMES = SCENARIOS.map(({ name }) => name);

async function simulate(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runHere('simulate', args);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

test('prints a row for each seed in turn, the same bytes in every process', async () => {
  const args = ['--scenario=model_drift', '--seeds=5-8', '--choices=random', '--set=quorum=0.5'];
  const { status, stdout, stderr } = await runCli(['simulate', ...args]);
  expect([status, stderr]).toEqual([0, '']);
  expect(await simulate(...args)).toBe(stdout);
  expect(csvParse(stdout).map(({ seed }) => seed)).toEqual(['5', '6', '7', '8']);
});

test('a row is the run that the engine replays from it, and its choices repeat it', async () => {
  const mode = fc.constantFrom('random', 'none', 'dissent=override_dissent');
  const seeds = fc.integer({ min: 0, max: SEEDS - 1 });
  const quorums = fc.constantFrom(0.3, 0.5, 0.75);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES),
      seeds,
      mode,
      quorums,
      async (scenario, seed, choices, quorum) => {
        const args = [`--scenario=${scenario}`, `--seeds=${seed}`, `--set=quorum=${quorum}`];
        const printed = await simulate(...args, `--choices=${choices}`);
        const [row] = csvParse(printed);
        const run = replay({
          scenario,
          seed,
          settings: { quorum },
          actions: JSON.parse(row!.actions!),
          tick: Number(row!.tick),
        });
        const { current_state: state, sentinels } = show(run);
        expect(row).toMatchObject({
          ending: state.debrief!.ending,
          status: state.deliberation.status,
          minting_active: String(state.economy.minting_active),
        });
        const numbers = {
          mean_opinion: state.opinions.mean,
          total_supply: state.economy.total_supply,
          virtue_justice: state.virtues.justice,
          drift_JADE: sentinels.at(-1)!.drift,
        };
        for (const [name, value] of Object.entries(numbers)) expect(Number(row![name])).toBe(value);
        const said = run.world.log.map(({ tick, text }) => `Day ${tick}: ${text}`);
        const { title, claims, question } = state.debrief!;
        expect(JSON.parse(row!.sentences!)).toEqual([...said, title, ...claims, question]);
        expect(await simulate(...args, `--choices=${row!.choices}`)).toBe(printed);
      },
    ),
    { numRuns: 40 },
  );
});

test('what is set holds from the start, and a named decision is taken with its parameters', async () => {
  const args = ['--scenario=moral_dilemma', '--seeds=7', '--set=reach=1.5', '--set=kinship=0'];
  const [row] = csvParse(await simulate(...args, '--choices=manner.cycles=3,manner=stage_it'));
  expect(row).toMatchObject({ parameter_reach: '1.5', parameter_kinship: '0.0', parameter_quorum: '0.5' });
  expect(row!.choices).toBe('manner=stage_it,manner.cycles=3');
  const [drawn] = csvParse(await simulate(...args, '--choices=framework=random'));
  expect(drawn!.choices).toMatch(/^framework=\w+$/);
  expect(csvParse(await simulate(...args))[0]!.choices).toBe('none');
});

test('the CSV has one line per row, a name per column, and no formula', async () => {
  for (const scenario of NAMES) {
    const text = await simulate(`--scenario=${scenario}`, '--seeds=1-20', '--choices=random');
    expect(text.trimEnd().split('\n')).toHaveLength(21);
    const [head, ...rows] = csvParseRows(text);
    expect(head).toEqual(RUN_HEADER);
    expect(new Set(head).size).toBe(head!.length);
    for (const name of head!) expect(name).toMatch(/^[A-Za-z]\w*$/);
    for (const at of head!.keys())
      assertOneForm(
        rows.map((row) => row[at]!),
        head![at]!,
      );
    for (const row of rows) {
      expect(row).toHaveLength(head!.length);
      for (const cell of row) expect(cell).toMatch(/^(-?\d+(\.\d+)?|[^=+\-@\t].*|)$/s);
    }
  }
});

test('a reader that leaves ends it', async () => {
  const { child } = new RunningCli(['simulate', '--scenario=model_drift', '--seeds=1-100000']);
  const closed = once(child, 'exit');
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  expect(await closed).toEqual([0, null]);
});

const DRIFT = ['--scenario=model_drift', '--seeds=1'];

test.each([
  [['--scenario=modl_drift', '--seeds=1'], '--scenario: expected model_drift, or one of', '"modl_drift"'],
  [['--scenario=', '--seeds=1'], '--scenario: expected one of cathedral_multiplier_proposal,', '""'],
  [['--scenario=model_drift'], '--seeds: expected a seed, or a range', 'no value'],
  [['--scenario=model_drift', '--seeds=9-1'], '--seeds: expected a seed, or a range', '"9-1"'],
  [['--scenario=model_drift', '--seeds=1-100001'], '--seeds: expected a seed, or a range', '"1-100001"'],
  [['--scenario=model_drift', '--seeds=4294967296'], '--seeds: expected a seed', '"4294967296"'],
  [[...DRIFT, '--set=quorm=0.5'], '--set: expected quorum, or one of', '"quorm"'],
  [[...DRIFT, '--set=__proto__=1'], '--set: expected one of', '"__proto__"'],
  [[...DRIFT, '--set=quorum=2'], '--set quorum: expected a number from 0.3 to 1', '"2"'],
  [[...DRIFT, '--set=quorum=0x1'], '--set quorum: expected a number from 0.3 to 1', '"0x1"'],
  [[...DRIFT, '--set=quorum'], '--set: expected name=value', '"quorum"'],
  [[...DRIFT, '--set=quorum=1', '--set=quorum=1'], '--set quorum: expected one value', '"1 and 1"'],
  [[...DRIFT, '--choices=rndom'], '--choices: expected random, or one of none', '"rndom"'],
  [[...DRIFT, '--choices=detecton=audit'], '--choices: expected detection, or one of', '"detecton"'],
  [[...DRIFT, '--choices=detection=odit'], '--choices detection: expected audit, or one of', '"odit"'],
  [[...DRIFT, '--choices=detection=audit,'], '--choices: expected', '""'],
])('%j is refused with its place, what was expected and what was found', async (args, expected, found) => {
  const { status, stdout, stderr } = await runHere('simulate', args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`cathedral: ${expected}`);
  expect(stderr).toContain(`, found ${found} (`);
});

test.each([
  ['manner.cycles=3', '--choices manner.cycles: expected a choice for manner that has it, found "none"'],
  ['manner=random,manner.cycles=3', 'expected a choice for manner that has it, found "random"'],
  ['manner=withhold,manner.cycles=3', 'expected a choice for manner that has it, found "withhold"'],
  ['manner=stage_it,manner.cycles=15', '--choices manner.cycles: expected a number from 1 to 14, found "15"'],
  ['manner=stage_it,manner.cycle=3', '--choices: expected manner.cycles, or one of framework,'],
])('the choices %s are refused', async (choices, message) => {
  const { status, stderr } = await runHere('simulate', [
    '--scenario=moral_dilemma',
    '--seeds=1',
    `--choices=${choices}`,
  ]);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});

test('everything that is wrong is said at once', async () => {
  const { stderr } = await runHere('simulate', [...DRIFT, '--set=x=1', '--choices=y=1']);
  expect(stderr).toMatch(/--set: expected .*\n {2}--choices: expected /);
});

test('docs/simulation.md has every column as it is', () => {
  const page = readFileSync(new URL('../../docs/simulation.md', import.meta.url), 'utf8');
  const rows = RUN_COLUMNS.map(({ name, unit, meaning }) => `| \`${name}\` | ${unit} | ${meaning} |`);
  expect(page).toContain(`| column | unit | meaning |\n|---|---|---|\n${rows.join('\n')}\n`);
});
