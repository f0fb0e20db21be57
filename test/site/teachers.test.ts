import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { playPlan } from '../../src/simulation/plan.ts';
import { textOf } from '../../src/simulation/scenario.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import { VERSIONS } from '../../src/simulation/versions.ts';
import { parseSetUpAddress } from '../../src/site/components/simulation/laboratory/set-up-address.ts';
import { formatRunAddress, parseRunAddress } from '../../src/site/components/simulation/run-address.ts';
import { assignmentLinks, readAssignment } from '../../src/site/components/simulation/teaching/assignment.ts';
import { CLASSROOM_NOTES } from '../../src/site/components/simulation/teaching/classroom-notes.ts';
import {
  contrastOf,
  planWith,
  RUNS,
  randomPlan,
} from '../../src/site/components/simulation/teaching/contrast.ts';
import {
  checkHandedIn,
  checkTranscript,
  handedInCsv,
} from '../../src/site/components/simulation/teaching/handed-in.ts';
import { LESSONS, timed } from '../../src/site/components/simulation/teaching/lessons.ts';
import { EXAMPLE, tickByHand } from '../../src/site/components/simulation/teaching/one-tick.ts';
import { scenarioPage } from '../../src/site/components/simulation/teaching/scenario-pages.ts';
import { buildFixture } from './build-fixture.ts';

const ORIGIN = 'https://data.example.org';
const PLAY = `${ORIGIN}/philosophy/simulation/`;
const NAMES = SCENARIOS.map(({ name }) => name);

const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/&quot;|&#34;/g, '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
const wordsOf = (html: string) => unescaped(html.replaceAll(/<[^>]+>/g, '')).replaceAll(/\s+/g, ' ');

/** A run that was played to its end by a plan, as its player would hand it in. */
function finished(name: string, seed: number) {
  const scenario = SCENARIOS.find((one) => one.name === name)!;
  const { world, actions } = playPlan(name, seed, {}, randomPlan(scenario));
  return {
    world,
    address: formatRunAddress({ scenario: name, seed, actions: [...actions], tick: world.tick }),
  };
}

describe('the pages', () => {
  let page: (path: string) => Promise<string>;

  beforeAll(async () => {
    const { out } = await buildFixture();
    page = (path) => readFile(join(out, path.slice(1), 'index.html'), 'utf8');
  });

  test('offer each scenario with its sheets and a link that begins it', async () => {
    const html = await page('/philosophy/simulation/teachers/');
    const links = [...html.matchAll(/href="(\/philosophy\/simulation\/\?[^"]+)"/g)].map(
      ([, href]) => new URL(unescaped(href!), ORIGIN).searchParams,
    );
    expect(links.map((parameters) => parseRunAddress(parameters)!.run)).toEqual(
      NAMES.map((scenario) => ({ scenario, seed: 1, settings: {}, actions: [], tick: 0 })),
    );
    for (const [i, parameters] of links.entries()) expect(parameters.get('v')).toBe(VERSIONS[NAMES[i]!]);
    for (const name of NAMES) expect(html).toContain(`href="${scenarioPage(name)}"`);
    expect(await page('/philosophy/')).toContain('href="/philosophy/simulation/teachers/"');
  });

  test.each(SCENARIOS)(
    'of $name have its goals, every ending with its questions, and no ending on the pupil’s sheet',
    async (scenario) => {
      const html = await page(scenarioPage(scenario.name));
      const [, pupil = '', teacher = ''] = html.split(/<section class="sheet /).map(wordsOf);
      const spaced = (text: string) => text.replaceAll(/\s+/g, ' ');
      for (const text of [...scenario.story, textOf(scenario.question, startWorld(scenario, 1))])
        expect(pupil).toContain(spaced(text));
      for (const text of [...scenario.goals, ...CLASSROOM_NOTES[scenario.name]!.before])
        expect(teacher).toContain(spaced(text));
      for (const { title, question, discuss } of scenario.endings) {
        for (const text of [title, question, ...discuss]) expect(teacher).toContain(spaced(text));
        expect(pupil).not.toContain(title);
      }
    },
  );

  test('have the arithmetic of one tick, blank and solved', async () => {
    const html = await page('/philosophy/simulation/teachers/one-tick/');
    const [, blank = '', solved = ''] = html.split(/<section class="sheet /).map(wordsOf);
    const { next, heard, own } = tickByHand(EXAMPLE.scenario, EXAMPLE.seed, EXAMPLE.sentinel);
    // Before the first tick, what it thinks itself is its opinion, which the blank sheet lists.
    expect(solved).toContain(own.toFixed(4));
    for (const value of [next, heard]) {
      expect(blank).not.toContain(value.toFixed(4));
      expect(solved).toContain(value.toFixed(4));
    }
  });
});

test('each lesson fills its time, and names scenarios that there are', () => {
  for (const { scenarios, plans } of LESSONS) {
    expect(plans.map((plan) => timed(plan).at(-1)!.to)).toEqual([45, 90]);
    expect(NAMES).toEqual(expect.arrayContaining([...scenarios]));
  }
  expect(new Set(LESSONS.flatMap(({ scenarios }) => scenarios))).toEqual(new Set(NAMES));
  expect(Object.keys(CLASSROOM_NOTES).sort()).toEqual(NAMES.toSorted());
});

test('the shares of endings are those of 200 runs with each choice, everything else at random, as in the laboratory', () => {
  const scenario = SCENARIOS.find(({ name }) => name === 'moral_dilemma')!;
  const { decision, choices, endings, laboratory } = contrastOf(scenario);
  const { faults, setUp } = parseSetUpAddress(new URLSearchParams(laboratory));
  expect([faults, setUp.seeds]).toEqual([[], { from: 1, to: RUNS }]);
  for (const [i, choice] of choices.entries()) {
    const plan = planWith(scenario, decision, choice);
    expect([setUp, setUp.compared!][i]!.plan).toEqual(plan);
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const { world } = playPlan(scenario.name, seed, {}, plan);
      counts[world.ending!] = (counts[world.ending!] ?? 0) + 1;
    }
    const shown = endings.map(({ ending, counts }) => [ending.name, counts[i]!]);
    expect(Object.fromEntries(shown.filter(([, count]) => count !== 0))).toEqual(counts);
  }
});

test.each(NAMES)('one tick of %s by hand, with four decimals, is the engine’s to three', (name) => {
  for (const sentinel of ['ATLAS', 'AUREA', 'ECHO', 'JADE']) {
    const { next, exact, listened } = tickByHand(name, 1, sentinel);
    expect(Math.abs(next - exact), sentinel).toBeLessThan(0.0005);
    expect(listened.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 3);
  }
});

describe('an assignment', () => {
  const entered = {
    scenario: 'model_drift',
    seeds: 'one',
    seed: '7',
    pupils: '3',
    stop: '',
    lever: '',
    value: '',
  };
  const linksOf = (given: Partial<typeof entered>) => {
    const read = readAssignment({ ...entered, ...given });
    if ('faults' in read) throw new Error(JSON.stringify(read.faults));
    return assignmentLinks(read.assignment, PLAY);
  };

  test('is a link for all, or one per number in the register, and begins the run with its settings', () => {
    expect(linksOf({}).map(({ pupil, seed }) => [pupil, seed])).toEqual([[null, 7]]);
    const each = linksOf({ seeds: 'each', lever: 'quorum', value: '0.5' });
    expect(each.map(({ pupil, seed }) => [pupil, seed])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    const { searchParams } = new URL(each[2]!.address);
    expect(parseRunAddress(searchParams)!.run).toEqual({
      scenario: 'model_drift',
      seed: 3,
      settings: { quorum: 0.5 },
      actions: [],
      tick: 0,
    });
    expect(searchParams.has('tick')).toBe(false);
  });

  test.each([
    ['seed', { seed: '1.5' }],
    ['seed', { seed: '' }],
    ['pupils', { seeds: 'each', pupils: '61' }],
    ['stop', { stop: '0' }],
    ['value', { lever: 'quorum', value: '7' }],
    ['value', { lever: 'quorum', value: '' }],
    ['lever', { lever: 'volume' }],
    ['scenario', { scenario: 'none' }],
  ])('with a wrong %s says so: %o', (field, given) => {
    const read = readAssignment({ ...entered, ...given });
    expect('faults' in read && Object.keys(read.faults)).toEqual([field]);
    expect('faults' in read && read.faults[field]).toMatch(/^Expected .*found/);
  });
});

describe('what is handed in', () => {
  test('is replayed, with the name beside it, in whatever text the link stands', () => {
    const { world, address } = finished('moral_dilemma', 3);
    const ending = SCENARIOS.find(({ name }) => name === 'moral_dilemma')!.endings.find(
      ({ name }) => name === world.ending,
    )!;
    const rows = checkHandedIn(
      [
        `7 ${PLAY}${address}`,
        '',
        `Ada; <${PLAY}${address.replaceAll('&', '&amp;')}>.`,
        `"Bo, B.","${address}"`,
      ].join('\r\n'),
    );
    expect(rows.map(({ who }) => who)).toEqual(['7', 'Ada', 'Bo B']);
    for (const row of rows)
      expect(row).toMatchObject({ verdict: 'finished', seed: '3', ending: ending.title });
    expect(rows[0]!.choices).not.toBe('');
    expect(checkTranscript('Cy.json', JSON.stringify({ address: `${PLAY}${address}` }))).toEqual({
      ...rows[0],
      who: 'Cy',
    });
  });

  test('says what is wrong and goes on with the next line', () => {
    const { address } = finished('model_drift', 5);
    const rows = checkHandedIn(
      [
        'Ada forgot',
        `1 ${PLAY}?scenario=nope&seed=1`,
        `2 ${PLAY}?scenario=model_drift&seed=banana&tick=3`,
        `3 ${PLAY}?scenario=model_drift&seed=1&do=1+fly`,
        `4 ${PLAY}?scenario=model_drift&seed=1&tick=3`,
        `5 ${PLAY}${address.replace(/v=\w+/, 'v=00000000')}`,
        `6 ${PLAY}${address}`,
      ].join('\n'),
    );
    expect(rows.map(({ verdict }) => verdict)).toEqual([
      'not valid',
      'not valid',
      'not valid',
      'not valid',
      'not finished',
      'other version',
      'finished',
    ]);
    for (const { said } of rows.slice(0, 4)) expect(said).toMatch(/found/);
    expect(rows[5]!.said).toContain('00000000');
    expect(checkTranscript('x.json', 'no').verdict).toBe('not valid');
    expect(checkTranscript('x.json', 'null').said).toBe(
      'Expected a transcript with its address, found none.',
    );
  });

  test('is a CSV that no spreadsheet takes for a formula', () => {
    const csv = handedInCsv(checkHandedIn(`=1+1, "Eve" ${PLAY}?scenario=model_drift&seed=1&tick=3`));
    const [head, row] = csv.split('\n');
    expect(head).toBe('who,scenario,seed,choices,ending,verdict,said,link');
    expect(row).toMatch(/^'=1\+1 Eve,A sentinel/);
  });
});
