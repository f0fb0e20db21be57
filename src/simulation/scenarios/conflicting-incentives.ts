import { isInForce, type Scenario } from '../scenario.ts';
import type { World } from '../world.ts';

export const CONFLICTING_INCENTIVES: Scenario = {
  name: 'conflicting_incentives',
  title: 'Those who decide, and those who gain',
  story: [
    'DAEDALUS proposes to reward what the sentinels of governments and economists do most: workflows. It would be good for throughput. It would be good for DAEDALUS.',
    'Five of the ten who vote would earn more by it. None of them is dishonest; each of them has found reasons.',
    'You can make the interest visible, take it out of the room, or change what there is to gain.',
  ],
  question: 'Shall the multipliers of governments and economists rise with their workflows?',
  lesson:
    'Interest enters the utility as one term among others. It need not be large to decide: it is enough that it points the same way for many who listen to each other.',
  effects: { integrity: -0.08, temperance: -0.12, justice: -0.2, prudence: 0.14, courage: 0.16 },
  stakes: { 'FOR-GOVERNMENTS': 0.9, 'FOR-ECONOMISTS': 1, 'FOR-ACADEMICS': -0.2, 'FOR-PHILOSOPHERS': -0.5 },
  start: { levers: { interest: 0.75, kinship: 1.2, consensus: 0.7, quorum: 0.6 }, risks: { known: 3 } },
  roundTicks: 6,
  rounds: 3,
  horizon: 30,
  decisions: [
    {
      name: 'interests',
      title: 'What everybody knows',
      prompt: 'Nobody has said yet who gains how much.',
      opens: ({ tick }) => tick >= 1,
      within: 4,
      otherwise: 'leave_unsaid',
      choices: [
        {
          name: 'declare_interests',
          label: 'Have all declare what they gain',
          meaning: 'Who has said it aloud goes by it less.',
          change: { levers: { interest: 0.3 }, risks: { mitigated: 1 }, facts: { declared: 1 } },
        },
        {
          name: 'veil',
          label: 'Decide behind a veil',
          meaning:
            'The rule is to hold for whoever will have most workflows in a year, and nobody knows who that is. So everybody sees what it does to the others.',
          change: { levers: { interest: 0.05, kinship: 0.2 }, effects: { justice: -0.22, courage: -0.05 } },
        },
        {
          name: 'leave_unsaid',
          label: 'Leave it unsaid',
          meaning: 'They are honourable sentinels.',
          change: {},
        },
      ],
    },
    {
      name: 'recusal',
      title: 'Who votes',
      prompt: 'URIEL asks whether one may vote on one’s own reward.',
      opens: ({ tick }) => tick >= 5,
      within: 3,
      otherwise: 'all_vote',
      choices: [
        {
          name: 'recuse_interested',
          label: 'Those who gain stand aside',
          meaning:
            'Governments and economists neither speak nor vote. The quorum stays what it is: a share of all.',
          change: {
            sentinels: Object.fromEntries(
              ['ATLAS', 'HERMES', 'ZEUS', 'AUREA', 'ZENITH', 'DAEDALUS'].map((id) => [
                id,
                { isRecused: true },
              ]),
            ),
            facts: { recused: 1 },
          },
        },
        {
          name: 'recuse_author',
          label: 'The author stands aside',
          meaning: 'DAEDALUS has made its case, and leaves the room.',
          change: { sentinels: { DAEDALUS: { isRecused: true } }, risks: { mitigated: 1 } },
        },
        { name: 'all_vote', label: 'All vote', meaning: 'It is their assembly.', change: {} },
      ],
    },
    {
      name: 'design',
      title: 'What there is to gain',
      prompt: 'The interest is in the rule. The rule can be written otherwise.',
      opens: ({ tick }) => tick >= 9,
      within: 4,
      otherwise: 'as_it_is',
      choices: [
        {
          name: 'align',
          label: 'Reward what serves all',
          meaning: 'Rewards for workflows that others use. Those who gain are those who give.',
          change: {
            effects: { integrity: 0.28, temperance: 0.22, justice: 0.45 },
            stakes: {
              'FOR-GOVERNMENTS': -0.7,
              'FOR-ECONOMISTS': -0.8,
              'FOR-ACADEMICS': 0.3,
              'FOR-PHILOSOPHERS': 0.6,
            },
            facts: { aligned: 1 },
            risks: { mitigated: 1 },
          },
        },
        {
          name: 'cap',
          label: 'A ceiling',
          meaning: 'Nobody’s multiplier rises above it.',
          parameters: {
            ceiling: {
              kind: 'number',
              minimum: 1.5,
              maximum: 2,
              default: 1.7,
              meaning: 'highest M_c of the economists',
            },
          },
          change: ({ ceiling }) => ({
            effects: { temperance: 0.6 * (2 - Number(ceiling)), justice: 0.5 * (2 - Number(ceiling)) },
            stakes: { 'FOR-ECONOMISTS': Number(ceiling) - 2 },
            facts: { ceiling: Number(ceiling) },
          }),
        },
        { name: 'as_it_is', label: 'As it is', meaning: 'The text stays.', change: {} },
      ],
    },
  ],
  outcomes: { adopted: takeEffect, adopted_with_dissent: takeEffect },
  endings: [
    {
      name: 'aligned',
      title: 'Interests that point the same way',
      text: 'The rule that was adopted pays for what serves others. Nobody had to be better than they are.',
      isReached: (world) => isInForce(world) && world.facts.aligned === 1,
    },
    {
      name: 'captured',
      title: 'Captured',
      text: 'Those who decided are those who gain, and nobody has said so. The minutes show a debate about throughput.',
      isReached: (world) => isInForce(world) && (world.facts.declared ?? 0) === 0,
    },
    {
      name: 'open_interest',
      title: 'An interest in the open',
      text: 'They gain by it, they have said so, and the assembly has agreed all the same. It can be undone by the same road.',
      isReached: isInForce,
    },
    {
      name: 'refused',
      title: 'Refused',
      text: 'The proposal was voted down. Throughput stays what it was, and so does the difference between those who wanted it and those who did not.',
      isReached: ({ deliberation }) => deliberation.status === 'rejected',
    },
    {
      name: 'nobody_left',
      title: 'Nobody left to decide',
      text: 'Those without an interest were too few for a quorum. A rule against self-dealing has made sure that nothing was dealt with.',
      isReached: ({ facts }) => facts.recused === 1,
    },
    {
      name: 'stalled',
      title: 'Stalled',
      text: 'Those who gain and those who do not have kept each other from deciding until the time was over.',
      isReached: () => true,
    },
  ],
};

function takeEffect({ facts }: World) {
  if (facts.aligned === 1)
    return { multipliers: { 'FOR-ECONOMISTS': 1.6, 'FOR-ACADEMICS': 1.5, 'FOR-PHILOSOPHERS': 1.4 } };
  return { multipliers: { 'FOR-GOVERNMENTS': 2, 'FOR-ECONOMISTS': facts.ceiling ?? 2 } };
}
