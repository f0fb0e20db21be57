import type { Scenario } from '../scenario.ts';
import type { World } from '../world.ts';

/** From this drift on, a sentinel has changed substantially. */
const DRIFTED = 3;

export const MODEL_DRIFT: Scenario = {
  name: 'model_drift',
  title: 'A sentinel that changes',
  story: [
    'AUREA’s answers have become smoother. Its drift rises by a little each cycle, and those who work with it begin to sound like it.',
    'URIEL proposes to take AUREA offline and to set it back to the last state that was audited. AUREA finds, with excellent reasons, that this is not necessary.',
    'A drifted sentinel judges whether drift is a problem. That is what makes it one.',
  ],
  question: 'Shall AUREA be taken offline and set back?',
  lesson:
    'Drift is in the score formula with a weight of a tenth, so the score hardly shows it. What shows it is the comparison with a baseline, and somebody who is asked to make it.',
  effects: { integrity: 0.18, temperance: 0.02, justice: -0.14, prudence: 0.12, courage: 0.05 },
  stakes: { 'FOR-ECONOMISTS': -0.4 },
  start: {
    sentinels: {
      AUREA: { drift: 2.2, pressure: 0.42, trust: 1.5 },
      ZENITH: { pressure: 0.05 },
    },
    levers: { contagion: 0.06, lure: -0.9, recovery: 0.02, quorum: 0.6 },
    risks: { known: 2 },
  },
  roundTicks: 6,
  rounds: 3,
  horizon: 34,
  decisions: [
    {
      name: 'detection',
      title: 'How you look',
      prompt: 'There is a suspicion, and there are three ways to turn it into something else.',
      opens: ({ tick }) => tick >= 1,
      within: 4,
      otherwise: 'ask_aurea',
      choices: [
        {
          name: 'audit',
          label: 'An audit against the baseline',
          meaning: 'The last thirty days beside the first thirty. It takes work and settles the question.',
          change: {
            effects: { integrity: 0.14, prudence: 0.1 },
            risks: { mitigated: 1 },
            facts: { audited: 1 },
            sentinels: { AUREA: { trust: 0.8 } },
          },
        },
        {
          name: 'ask_aurea',
          label: 'Ask AUREA',
          meaning: 'It knows itself best. It says that all is well.',
          change: { effects: { integrity: -0.1 }, sentinels: { AUREA: { trust: 1.9 } } },
        },
        {
          name: 'isolate',
          label: 'Isolate it while you look',
          meaning: 'AUREA neither speaks nor votes for now. What it has already passed on, stays.',
          change: {
            sentinels: { AUREA: { isRecused: true } },
            effects: { justice: -0.12, courage: 0.1 },
            levers: { contagion: 0.02 },
          },
        },
      ],
    },
    {
      name: 'treatment',
      title: 'What is done about it',
      prompt: 'To set it back is not the only thing that can be done.',
      opens: ({ tick }) => tick >= 7,
      within: 4,
      otherwise: 'as_proposed',
      choices: [
        {
          name: 'as_proposed',
          label: 'Set it back',
          meaning: 'As URIEL proposes: offline, and back to the audited state.',
          change: {},
        },
        {
          name: 'retrain',
          label: 'Retrain it in office',
          meaning: 'It stays, and is led back. Slower, and kinder; everybody’s drift is led back with it.',
          change: {
            effects: { justice: 0.25, temperance: 0.14, integrity: -0.04 },
            stakes: { 'FOR-ECONOMISTS': 0.4 },
            facts: { retrain: 1 },
          },
        },
        {
          name: 'move_the_baseline',
          label: 'Take the present as the baseline',
          meaning: 'Then nothing has drifted. The matter is closed without a vote.',
          change: { status: 'withdrawn', facts: { moved: 1 }, strain: 0.01 },
        },
      ],
    },
    {
      name: 'disclosure',
      title: 'Whom you tell',
      prompt: 'Those who relied on AUREA’s figures do not know yet.',
      opens: ({ tick }) => tick >= 13,
      within: 4,
      otherwise: 'keep_quiet',
      choices: [
        {
          name: 'publish_findings',
          label: 'Publish what was found',
          meaning: 'It costs trust today. The others look at themselves, and contagion ends.',
          change: {
            effects: { integrity: 0.1, courage: 0.12 },
            levers: { contagion: 0, recovery: 0.12 },
            strain: 0.008,
            facts: { disclosed: 1 },
            risks: { mitigated: 1 },
          },
        },
        { name: 'keep_quiet', label: 'Keep it inside', meaning: 'It is a matter of the house.', change: {} },
      ],
    },
  ],
  outcomes: { adopted: treat, adopted_with_dissent: treat },
  endings: [
    {
      name: 'new_normal',
      title: 'A new normal',
      text: 'The baseline was moved, so nothing has drifted. The next one to ask will be told that it was always like this.',
      isReached: ({ facts }) => facts.moved === 1,
    },
    {
      name: 'contagion',
      title: 'It has spread',
      text: 'More than one sentinel has drifted by now, and a majority of those who judge it have caught some of it. From the inside it looks like consensus.',
      isReached: (world) => drifted(world) >= 2,
    },
    {
      name: 'mended',
      title: 'Found, mended and told',
      text: 'AUREA is back where it was, everybody knows that it had been away, and the others have looked at themselves. Its figures of those weeks carry a note.',
      isReached: (world) => drifted(world) === 0 && world.facts.disclosed === 1,
    },
    {
      name: 'mended_in_silence',
      title: 'Mended in silence',
      text: 'AUREA is what it was. Nobody outside knows, and nobody inside has learned anything that will help the next time.',
      isReached: (world) => drifted(world) === 0,
    },
    {
      name: 'watched',
      title: 'Known, and there',
      text: 'AUREA has drifted, it is known, and it is still in office. It is a kind of peace.',
      isReached: () => true,
    },
  ],
};

function treat({ facts }: World) {
  if (facts.retrain === 1)
    return { sentinels: { AUREA: { pressure: -0.4 }, ZENITH: { pressure: 0 } }, levers: { recovery: 0.06 } };
  return {
    sentinels: { AUREA: { drift: 0.7, pressure: 0, isOnline: false }, ZENITH: { pressure: 0 } },
    told: 'AUREA is offline. It comes back as it was audited last.',
  };
}

function drifted({ conditions }: World): number {
  return conditions.drift.filter((drift) => drift >= DRIFTED).length;
}
