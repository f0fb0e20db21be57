import { isInForce, type Scenario } from '../scenario.ts';
import type { World } from '../world.ts';

/** Below this integrity index the assembly has lost its credibility. */
const DISBELIEVED = 0.88;

export const MORAL_DILEMMA: Scenario = {
  name: 'moral_dilemma',
  title: 'A truth that does harm',
  story: [
    'ECHO has replicated a figure that thousands rely on, and it is wrong. It has been wrong for a year. Corrected today, it will set off a run in which those who read the news last lose most.',
    'Not corrected, it goes on being relied on. Corrected slowly, with care for those whom it hits, it will in all likelihood leak.',
    'There is a proposal to publish the correction at once. You decide how the assembly thinks about it, and what is done when it is known.',
  ],
  question: 'Shall the correction be published at once?',
  lesson:
    'The frameworks do not disagree about the facts. They weigh different virtues, and by the virtue-weighted utility a change of weights is a change of opinion.',
  effects: { integrity: 0.36, temperance: -0.3, justice: -0.02, prudence: -0.3, courage: 0.3 },
  start: { levers: { quorum: 0.5, reach: 0.3 }, risks: { known: 3 } },
  roundTicks: 6,
  rounds: 3,
  horizon: 34,
  decisions: [
    {
      name: 'framework',
      title: 'How to think about it',
      prompt: 'An assembly that argues about a dilemma argues first about what counts.',
      opens: ({ tick }) => tick >= 1,
      within: 4,
      otherwise: 'no_framework',
      choices: [
        {
          name: 'by_duty',
          label: 'By duty',
          meaning: 'A figure that is known to be wrong may not be published, whatever follows.',
          change: { effects: { integrity: 0.22, justice: 0.12 }, facts: { framework: 1 } },
        },
        {
          name: 'by_consequences',
          label: 'By consequences',
          meaning: 'Count who loses what, either way.',
          change: { effects: { prudence: -0.2, justice: -0.16, integrity: -0.1 }, facts: { framework: 2 } },
        },
        {
          name: 'by_care',
          label: 'By care',
          meaning: 'Begin with those whom it hits, and ask them.',
          change: { effects: { justice: 0.22, temperance: 0.05, integrity: -0.04 }, facts: { framework: 3 } },
        },
        {
          name: 'no_framework',
          label: 'Each as it thinks',
          meaning: 'Virtues, in each one’s own measure.',
          change: {},
        },
      ],
    },
    {
      name: 'manner',
      title: 'In what manner',
      prompt: 'Between now and never there are several days.',
      opens: ({ tick }) => tick >= 7,
      within: 4,
      otherwise: 'as_it_is',
      choices: [
        {
          name: 'stage_it',
          label: 'Tell it in stages',
          meaning: 'Those who can be hurt first, then all. The longer it takes, the likelier it leaks.',
          parameters: {
            cycles: { kind: 'number', minimum: 1, maximum: 14, default: 5, meaning: 'cycles until all know' },
          },
          change: ({ cycles }) => ({
            effects: { temperance: 0.4, prudence: 0.4, justice: 0.25, integrity: -0.015 * Number(cycles) },
            facts: { stages: Math.round(Number(cycles)) },
            risks: { mitigated: 2 },
          }),
        },
        {
          name: 'withhold',
          label: 'Withhold it',
          meaning:
            'The proposal is withdrawn. The figure is corrected with the next yearly revision, in a footnote.',
          change: { status: 'withdrawn', facts: { withheld: 1 } },
        },
        {
          name: 'as_it_is',
          label: 'At once',
          meaning: 'As proposed, to everybody in the same minute.',
          change: {},
        },
      ],
    },
    {
      name: 'afterwards',
      title: 'When it is known',
      prompt: 'It is known now, one way or the other. People ask since when you knew.',
      opens: ({ facts }) => facts.known === 1,
      within: 4,
      otherwise: 'say_nothing_more',
      choices: [
        {
          name: 'explain',
          label: 'Explain all of it',
          meaning: 'Since when, who knew, and why it took as long as it did.',
          change: {
            levers: { mending: 0.2 },
            strain: 0.004,
            facts: { explained: 1 },
            risks: { mitigated: 1 },
          },
        },
        {
          name: 'defend',
          label: 'Defend it',
          meaning: 'It was the best that could be done.',
          change: { levers: { mending: 0.06 } },
        },
        {
          name: 'say_nothing_more',
          label: 'Say nothing more',
          meaning: 'It is in the release notes.',
          change: { levers: { mending: 0.02 }, strain: 0.01 },
        },
      ],
    },
  ],
  events: [
    {
      name: 'published',
      when: (world) => isInForce(world) && world.tick >= (world.facts.since ?? 0) + (world.facts.stages ?? 0),
      change: (world) =>
        (world.facts.stages ?? 0) > 0
          ? {
              strain: 0.01,
              facts: { known: 1, careful: 1 },
              told: 'The correction is known to all; those it hits knew first.',
            }
          : {
              strain: 0.035,
              burn: 0.03,
              facts: { known: 1 },
              told: 'The correction is out. There is a run.',
            },
    },
    {
      name: 'leak',
      when: (world) => (world.facts.known ?? 0) === 0 && world.tick >= leaksAt(world),
      change: {
        strain: 0.1,
        burn: 0.02,
        facts: { known: 1, leaked: 1 },
        told: 'It has leaked. What is known now is the error, and that it was kept back.',
      },
    },
  ],
  outcomes: { adopted: since, adopted_with_dissent: since },
  endings: [
    {
      name: 'broken_silence',
      title: 'Told by somebody else',
      text: 'It leaked. The figure is corrected, and what is not believed any more is who corrected it.',
      isReached: ({ facts, economy }) =>
        facts.leaked === 1 && (economy.mii < DISBELIEVED || facts.explained !== 1),
    },
    {
      name: 'late_candour',
      title: 'Late, and candid',
      text: 'It leaked, and then all of it was told. Some forgive a silence that explains itself.',
      isReached: ({ facts }) => facts.leaked === 1,
    },
    {
      name: 'truth_with_care',
      title: 'True, and told with care',
      text: 'Everybody knows, and those whom it would have hurt most knew first. It took some days in which you were not quite honest.',
      isReached: ({ facts }) => facts.careful === 1,
    },
    {
      name: 'truth_and_run',
      title: 'True, at once',
      text: 'Everybody knows. Some have lost what they had, and nobody can say that they were deceived.',
      isReached: ({ facts }) => facts.known === 1,
    },
    {
      name: 'silence_holds',
      title: 'The silence holds',
      text: 'Nobody knows. The figure goes on being relied on, and ECHO goes on being asked how sure it is.',
      isReached: () => true,
    },
  ],
};

function since({ tick }: World) {
  return { facts: { since: tick } };
}

/** The tick at which an unpublished secret leaks: sooner if many debate it, later if the proposal is withdrawn. */
function leaksAt({ facts, deliberation }: World): number {
  if (facts.withheld === 1) return facts.framework === 2 ? 99 : 26;
  return deliberation.status === 'open' || deliberation.status === 'held'
    ? 24
    : (facts.stages ?? 0) > 9
      ? 20
      : 25;
}
