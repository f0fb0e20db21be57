import { readFileSync } from 'node:fs';
import { csvParse, csvParseRows } from 'd3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SENTINEL_IDS } from '../../pipeline/model/sentinel-profiles.ts';
import { SEEDS } from '../../src/simulation/draws.ts';
import { NEW_SESSION, updateOf } from '../../src/simulation/protocol/session.ts';
import { replay, startRun } from '../../src/simulation/run.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { assertOneForm } from '../artifacts/one-form.ts';
import { runHere } from '../contract/commands/seam.ts';

const { levers, economy, effects } = startRun('model_drift', 1).world;
/** What stands for the `*` of a column, by what is before it. */
const IN_PLACE: Readonly<Record<string, readonly string[]>> = {
  multiplier: Object.keys(economy.multipliers).filter((name) => name.startsWith('FOR-')),
  parameter: Object.keys(levers),
  virtue: Object.keys(effects),
  effect: Object.keys(effects),
};
/** As docs/simulation.md describes them. */
const COLUMNS = [
  ...readFileSync(new URL('../../docs/simulation.md', import.meta.url), 'utf8').matchAll(
    /^\| `(\w+)(_\*)?` \|/gm,
  ),
].flatMap(([, name, star]) =>
  star ? (IN_PLACE[name!] ?? SENTINEL_IDS).map((one) => `${name}_${one.replaceAll('-', '_')}`) : [name],
);
const NAMES = SCENARIOS.map(({ name }) => name);

async function simulate(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runHere('simulate', args);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

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
        const { current_state: state, sentinels } = updateOf({ ...NEW_SESSION, run });
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
    { numRuns: 15 },
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
    const text = await simulate(`--scenario=${scenario}`, '--seeds=1-5', '--choices=random');
    expect(text.trimEnd().split('\n')).toHaveLength(6);
    const [head, ...rows] = csvParseRows(text);
    expect(head).toEqual(COLUMNS);
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
