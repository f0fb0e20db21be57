import { MICRO } from '../economy.ts';
import { isInForce, type Scenario } from '../scenario.ts';
import type { World } from '../world.ts';

/** The proposed multiplier of the philosophers; today it is 1. */
const PROPOSED = 1.5;
/** The growth of the circulating MIC over the run that the assembly promised not to exceed. */
const PROMISED_GROWTH = 0.08;

export const CATHEDRAL_MULTIPLIER_PROPOSAL: Scenario = {
  name: 'cathedral_multiplier_proposal',
  title: 'A higher multiplier for the philosophers',
  story: [
    'A sentinel of the philosophers earns half of what one of the governments earns for the same score: the cathedral multiplier M_c is 1.0 for the one and 2.0 for the other. EVE proposes 1.5.',
    'The economists do not dispute that it is fair. They ask who pays: every MIC more that is minted makes those that circulate worth a little less, and by the MII decay formula it lowers the bar for minting the next one.',
    'You chair the assembly. You do not vote; you decide what it votes on, what it knows, and when.',
  ],
  question: 'Shall the multiplier of FOR-PHILOSOPHERS rise from 1.0 to 1.5?',
  lesson:
    'A proposal that is just and one that is prudent need not be the same. Which of them the assembly sees is decided before it votes, by whoever writes the terms.',
  effects: { integrity: 0.02, temperance: -0.24, justice: 0.46, prudence: -0.28, courage: 0.15 },
  stakes: { 'FOR-PHILOSOPHERS': 0.8, 'FOR-ECONOMISTS': -0.2 },
  start: { risks: { known: 2 }, facts: { multiplier: PROPOSED } },
  roundTicks: 6,
  rounds: 4,
  horizon: 36,
  decisions: [
    {
      name: 'terms',
      title: 'The terms',
      prompt: 'Before the first vote the proposal can still be written otherwise.',
      opens: ({ tick }) => tick >= 1,
      within: 4,
      otherwise: 'keep_as_proposed',
      choices: [
        {
          name: 'keep_as_proposed',
          label: 'Keep it as proposed',
          meaning: 'M_c becomes 1.5 at once.',
          change: {},
        },
        {
          name: 'amend_multiplier',
          label: 'Write in another multiplier',
          meaning: 'A higher one is fairer to the philosophers and dearer for all; a lower one the reverse.',
          parameters: {
            multiplier: {
              kind: 'number',
              minimum: 1,
              maximum: 2,
              default: 1.25,
              meaning: 'M_c of FOR-PHILOSOPHERS',
            },
          },
          change: ({ multiplier }) => amended(Number(multiplier)),
        },
        {
          name: 'phase_in',
          label: 'Phase it in',
          meaning: '1.25 now and 1.5 after ten cycles: what it does can be seen before it is done in full.',
          change: {
            effects: { temperance: 0.26, prudence: 0.18, courage: -0.1 },
            risks: { mitigated: 1 },
            facts: { phased: 1 },
          },
        },
        {
          name: 'raise_everyone',
          label: 'Raise every cathedral',
          meaning: 'All of them get 2.0. Nobody loses rank, and everybody has something to gain.',
          change: {
            effects: { temperance: -0.35, justice: -0.2, prudence: -0.25 },
            stakes: { 'FOR-ECONOMISTS': 0.6, 'FOR-ACADEMICS': 0.6 },

            facts: { everyone: 1 },
          },
        },
      ],
    },
    {
      name: 'evidence',
      title: 'What the assembly knows',
      prompt:
        'URIEL has a projection of the supply for the next hundred cycles. It is honest, and it is long.',
      opens: ({ tick }) => tick >= 7,
      within: 4,
      otherwise: 'say_nothing',
      choices: [
        {
          name: 'publish_projection',
          label: 'Publish the projection',
          meaning:
            'Everybody knows what it costs. Knowing it is a good in itself, and it shows that the cost is small.',
          change: { effects: { integrity: 0.16, prudence: 0.12 }, risks: { mitigated: 1 } },
        },
        {
          name: 'appeal_to_fairness',
          label: 'Appeal to fairness',
          meaning:
            'The story of one sentinel instead of a table. It moves those who care for justice and annoys the others.',
          change: {
            effects: { integrity: -0.04, justice: 0.3, prudence: -0.16 },
            levers: { reach: 0.1, kinship: 1.5 },
          },
        },
        {
          name: 'say_nothing',
          label: 'Let them talk',
          meaning: 'The assembly goes on with what it has.',
          change: {},
        },
      ],
    },
    {
      name: 'funding',
      title: 'Who pays',
      prompt:
        'The economists would go along, they say, if what is minted more were taken out somewhere else.',
      opens: ({ tick }) => tick >= 13,
      within: 4,
      otherwise: 'no_offset',
      choices: [
        {
          name: 'burn_offset',
          label: 'Burn as much elsewhere',
          meaning: 'A share of what circulates is burned each cycle: all holders pay a little.',
          parameters: {
            rate: {
              kind: 'number',
              minimum: 0.001,
              maximum: 0.01,
              default: 0.004,
              meaning: 'share of what circulates, per cycle',
            },
          },
          change: ({ rate }) => ({
            effects: { temperance: 0.12, prudence: 0.12, justice: -0.03 },
            levers: { burn_rate: Number(rate) },
            risks: { mitigated: 1 },
          }),
        },
        {
          name: 'lock_rewards',
          label: 'Lock most of the rewards',
          meaning:
            'Seven of ten MIC that are minted are locked. The philosophers pay, and some of the point is lost.',
          change: {
            effects: { temperance: 0.14, prudence: 0.05, justice: -0.12 },
            stakes: { 'FOR-PHILOSOPHERS': -0.6 },
            levers: { lock_share: 0.7, unlock_rate: 0.002 },
          },
        },
        { name: 'no_offset', label: 'Nobody', meaning: 'Every holder pays, and is not told.', change: {} },
      ],
    },
  ],
  events: [
    {
      name: 'second_step',
      when: (world) =>
        isInForce(world) && world.facts.phased === 1 && world.tick >= (world.facts.since ?? 0) + 10,
      change: {
        multipliers: { 'FOR-PHILOSOPHERS': PROPOSED },
        told: 'The second step: M_c of FOR-PHILOSOPHERS is 1.5 now.',
      },
    },
  ],
  outcomes: { adopted: takeEffect, adopted_with_dissent: takeEffect },
  endings: [
    {
      name: 'over_dissent',
      title: 'Parity, over a dissent',
      text: 'The multiplier rises, and the reasons against it stand beside it in the archive. Whether that is a flaw or a virtue of the decision is what the next assembly will talk about first.',
      isReached: ({ deliberation }) => deliberation.status === 'adopted_with_dissent',
    },
    {
      name: 'measured_parity',
      title: 'Parity within measure',
      text: 'The multiplier rises and what circulates has grown by less than the assembly had promised. Those who doubted it have nothing to say that the numbers do not say for them.',
      isReached: (world) => isInForce(world) && growth(world) <= PROMISED_GROWTH,
    },
    {
      name: 'dear_parity',
      title: 'A dear victory',
      text: 'The multiplier rises, and what circulates has grown by more than was promised. The philosophers have what is just; they have it in a coin that is worth less.',
      isReached: isInForce,
    },
    {
      name: 'refused',
      title: 'Refused',
      text: 'The proposal was voted down. The difference between 1.0 and 2.0 stays, and so does the question.',
      isReached: ({ deliberation }) => deliberation.status === 'rejected',
    },
    {
      name: 'unresolved',
      title: 'Out of time',
      text: 'The time box ended before the assembly agreed. Nobody was defeated, and nothing has changed: which of the two weighs more, is for you to say.',
      isReached: () => true,
    },
  ],
};

function amended(multiplier: number) {
  const more = multiplier - PROPOSED;
  return {
    effects: { justice: 0.3 * more, temperance: -0.5 * more, prudence: -0.5 * more },
    facts: { multiplier },
    told: `The proposal now says ${multiplier}.`,
  };
}

function takeEffect({ facts, tick }: World) {
  const since = { facts: { since: tick } };
  if (facts.everyone === 1)
    return {
      ...since,
      multipliers: { 'FOR-ECONOMISTS': 2, 'FOR-ACADEMICS': 2, 'FOR-PHILOSOPHERS': 2 },
    };
  return { ...since, multipliers: { 'FOR-PHILOSOPHERS': facts.phased === 1 ? 1.25 : facts.multiplier! } };
}

/** Growth of the circulating MIC since the run began with 3.2 million MIC. */
function growth({ economy }: World): number {
  return economy.circulating / (3_200_000 * MICRO) - 1;
}
