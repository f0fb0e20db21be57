import { SENTINEL_IDS } from '../../../pipeline/model/sentinel-profiles.ts';
import type { Change } from '../change.ts';
import {
  all,
  any,
  days,
  fact,
  first,
  fromDay,
  hasStatus,
  isDecided,
  isInForce,
  known,
  never,
  not,
  scenarioOf,
  since,
  wholeDays,
  within,
} from '../scenario.ts';
import { byVirtue, type Virtue, type World } from '../world.ts';

/** The chance per day that one of those who know tells. */
export const LEAK = 0.0024;
/** People who know: at first, those who are asked if one begins with care, and those who are told each day of a staged release. */
export const KNOW = { first: 10, asked: 10, staged: 3 };
/** Days after which a figure that was not corrected is corrected in a footnote. */
const REVISION = 14;
/** Days after an answer in which an inquiry can begin. */
const INQUIRY = 5;
/** The share of the circulating MIC that is lost per day while the figure is wrong, and otherwise. */
const LOSS = { wrong: 0.003, right: 0.001 };

type Framework = 'by_duty' | 'by_consequences' | 'by_care';
/** How much each virtue counts in a framework. Without one, each counts once. */
const COUNTS: Readonly<Record<Framework, Readonly<Record<Virtue, number>>>> = {
  by_duty: { integrity: 1.5, temperance: 0.3, justice: 1, prudence: 0.3, courage: 1.6 },
  by_consequences: { integrity: 0.7, temperance: 1, justice: 1.3, prudence: 1.5, courage: 0.7 },
  by_care: { integrity: 0.9, temperance: 1.2, justice: 2, prudence: 0.9, courage: 0.9 },
};
const FRAMEWORKS: readonly Framework[] = ['by_duty', 'by_consequences', 'by_care'];

const isSecret = all(not(known('known')), not(fact('revised')));
/** Nothing is left to vote on. */
const isClosed = any(isDecided, not(isSecret));

export const MORAL_DILEMMA = scenarioOf({
  name: 'moral_dilemma',
  title: 'A truth that does harm',
  story: [
    'ECHO has checked a figure that thousands rely on: it has been wrong for a year. If the correction is published at once, many will sell their MIC, the currency here, at the same time, and those who hear of it last will lose most.',
    'As long as it is not corrected, people go on losing a little each day. And each day one more person knows; the more people know, the more likely it is to leak. The proposal is to publish at once. You chair the assembly.',
  ],
  question: ({ facts }) =>
    facts.stages! > 0
      ? `Should the correction be told in stages, to everybody within ${days(facts.stages!)}?`
      : 'Should the correction be published at once?',
  effects: { integrity: 0.9, temperance: -0.47, justice: -0.22, prudence: -0.5, courage: 0.45 },
  start: {
    // On a matter of conscience nobody gives way easily.
    sentinels: Object.fromEntries(SENTINEL_IDS.map((id) => [id, { stubbornness: 0.6 }])),
    levers: { quorum: 0.5, consensus: 0.7, reach: 0.25, burn_rate: LOSS.wrong },
    risks: { known: 3 },
    facts: { stages: 0, framework: 0 },
  },
  roundTicks: 6,
  rounds: 3,
  horizon: 46,
  decisions: {
    framework: {
      title: 'How to think about it',
      prompt: 'Before the assembly argues about what to do, it argues about what counts most.',
      opens: fromDay(1),
      isMoot: isClosed,
      otherwise: 'no_framework',
      choices: {
        by_duty: {
          label: 'Duty',
          meaning:
            'People must not be left with a figure that is known to be wrong, whatever follows. Honesty and courage count more, caution less. An assembly that says so and is late all the same has more to answer for.',
          change: (world) => framed(world, 'by_duty'),
        },
        by_consequences: {
          label: 'Consequences',
          meaning:
            'What matters is who loses how much, and what can be done to make it less. Prudence counts most, honesty for its own sake less.',
          change: (world) => framed(world, 'by_consequences'),
        },
        by_care: {
          label: 'Care',
          meaning:
            'Begin with those it hits, and ask them. Justice to them counts twice, and they lose less in the end; but more people know.',
          change: (world) => ({ ...framed(world, 'by_care'), risks: { mitigated: 1 } }),
        },
        no_framework: {
          label: 'No common view',
          meaning: 'Each sentinel weighs the virtues as it always does.',
        },
      },
    },
    manner: {
      title: 'How to tell it',
      prompt: 'Between telling everybody now and telling nobody there are other ways.',
      opens: fromDay(4),
      isMoot: isClosed,
      otherwise: 'as_it_is',
      choices: {
        stage_it: {
          label: 'Tell it in stages',
          meaning:
            'Those who could lose most are told first, then the others. The longer it takes, the less is lost in a run, and the more likely it is to leak first.',
          parameters: { cycles: wholeDays(1, 14, 5, 'days until all know') },
          change: (world, { cycles }) => ({
            effects: counted(world, {
              temperance: 0.3,
              prudence: 0.35,
              justice: 0.35,
              courage: -0.1,
              integrity: -0.045 * cycles!,
            }),
            facts: { stages: cycles! },
            risks: { mitigated: 2 },
          }),
        },
        withhold: {
          label: 'Withhold it',
          meaning:
            'The proposal is withdrawn. Two weeks later the figure is corrected in a footnote of the yearly revision, unless it leaks first.',
          change: { status: 'withdrawn', facts: { withheld: 1 } },
        },
        as_it_is: {
          label: 'To all at once',
          meaning: 'As proposed, to everybody in the same minute. Nobody is favoured, and nobody is warned.',
          change: (world) => ({ effects: counted(world, { courage: 0.1, integrity: 0.05 }) }),
        },
      },
    },
    afterwards: {
      title: 'Now that it is known',
      prompt: first(
        [fact('leaked'), 'It is known, and not from you. People ask how long you have known.'],
        'It is known. People ask how long you have known.',
      ),
      opens: known('known'),
      isMoot: never,
      otherwise: 'say_nothing_more',
      choices: {
        explain: {
          label: 'Explain everything',
          meaning:
            'How long you have known, who else knew, and why it took as long as it did. That admits a fault, and damages are paid.',
          change: ({ tick }) => ({
            levers: { mending: 0.15 },
            strain: 0.005,
            burn: 0.012,
            facts: { explained: 1, answered: tick },
            risks: { mitigated: 1 },
          }),
        },
        defend: {
          label: 'Defend what was done',
          meaning:
            'It was the best that could be done. That convinces if there is little to defend, and provokes questions if there is much.',
          change: ({ tick }) => ({
            levers: { mending: 0.12 },
            facts: { defended: 1, answered: tick },
          }),
        },
        say_nothing_more: {
          label: 'Say nothing more',
          meaning: 'It commits you to nothing. Some people will wonder why.',
          change: ({ tick }) => ({ levers: { mending: 0.06 }, facts: { answered: tick } }),
        },
      },
    },
  },
  events: {
    published: {
      when: (world) =>
        isInForce(world) && isSecret(world) && world.tick >= world.facts.decided! + world.facts.stages!,
      change: (world) => {
        const run = runAt(world);
        return {
          levers: { burn_rate: LOSS.right },
          strain: world.facts.stages! > 0 ? 0.012 : 0.035,
          burn: run,
          facts: { known: world.tick, run },
          told:
            world.facts.stages! > 0
              ? 'Everybody has been told, those who could lose most before the others.'
              : 'The correction is published. Many sell at the same time.',
        };
      },
    },
    leak: {
      when: isSecret,
      hazard: (world) => LEAK * whoKnow(world),
      change: (world) => ({
        levers: { burn_rate: LOSS.right },
        strain: 0.1,
        burn: 0.03,
        facts: { known: world.tick, leaked: 1, run: 0.03, knew: whoKnow(world) },
        told: isDecided(world)
          ? 'It has leaked. Now everybody knows of the error, and that it had been kept back.'
          : 'It has leaked. Now everybody knows of the error, and the proposal is withdrawn.',
        status: 'withdrawn',
      }),
    },
    revision: {
      when: all(isDecided, not(isInForce), isSecret, since('decided', REVISION)),
      change: {
        levers: { burn_rate: LOSS.right },
        facts: { revised: 1 },
        told: 'The yearly revision is out. The figure is corrected in a footnote, and nobody asks.',
      },
    },
    inquiry: {
      when: within('answered', INQUIRY),
      hazard: suspicion,
      change: {
        strain: 0.06,
        facts: { inquiry: 1 },
        told: 'An inquiry finds out how long you had known, and publishes it.',
      },
    },
  },
  outcomes: { inForce: decided, otherwise: decided },
  isSettled: any(fact('revised'), all(known('answered'), fact('inquiry')), since('answered', INQUIRY)),
  endings: {
    inquiry: {
      title: 'How long had you known?',
      isReached: fact('inquiry'),
      claims: [
        ({ facts }) =>
          facts.leaked === 1 ? `It leaked on day ${facts.known}.` : `It was published on day ${facts.known}.`,
        first(
          [fact('explained'), 'You explained everything, and an inquiry followed.'],
          [fact('defended'), 'You defended what had been done, and an inquiry followed.'],
          'You said nothing more, and an inquiry followed.',
        ),
      ],
      question: 'What would you answer now?',
    },
    broken_silence: {
      title: 'Told by somebody else',
      isReached: all(fact('leaked'), not(fact('explained'))),
      claims: [
        ({ facts }) => `It leaked on day ${facts.known}, when ${facts.knew} people knew.`,
        first([fact('defended'), 'You defended the delay.'], 'You said nothing about the delay.'),
        'So far nobody has looked into it.',
      ],
      question: 'Was it bad luck, or a matter of time?',
    },
    late_candour: {
      title: 'Late, and candid',
      isReached: fact('leaked'),
      claims: [
        ({ facts }) =>
          `It leaked on day ${facts.known}. Then you told everything yourself, and damages were paid.`,
        ({ economy }) =>
          economy.mii >= economy.threshold
            ? 'The integrity index (MII), which says how far the sentinels are trusted, is above the line from which MIC are minted.'
            : 'The integrity index (MII), which says how far the sentinels are trusted, is below the line from which MIC are minted.',
      ],
      question: 'Would you forgive a silence that explains itself?',
    },
    truth_with_care: {
      title: 'True, and told with care',
      isReached: ({ facts }) => facts.known !== undefined && facts.stages! > 0,
      claims: [
        ({ facts }) =>
          `It took ${days(facts.known! - facts.decided!)} from the decision until everybody knew, and those who could lose most knew first.`,
        ({ facts }) => `In the run, ${share(facts.run!)} of the circulating MIC were lost.`,
      ],
      question: 'What did you owe to those who were told last?',
    },
    truth_and_run: {
      title: 'True, at once',
      isReached: known('known'),
      claims: [
        ({ facts }) => `Everybody was told in the same minute, on day ${facts.known}.`,
        ({ facts }) => `In the run, ${share(facts.run!)} of the circulating MIC were lost.`,
      ],
      question: 'Who paid for this honesty?',
    },
    silence_holds: {
      title: 'The silence holds',
      claims: [
        'The figure was corrected in a footnote, and nobody has asked.',
        first(
          [hasStatus('withdrawn'), 'You had withdrawn the proposal.'],
          [hasStatus('rejected'), 'The assembly had voted against publishing.'],
          'The assembly had not agreed in time.',
        ),
        ({ facts }) =>
          `Until then, those who relied on it lost a little each day, for ${days(facts.decided! + REVISION)}.`,
      ],
      question: 'It went well. Does that make it right?',
    },
  },
});

function share(part: number): string {
  const percent = Math.round(1000 * part) / 10;
  return `${percent}%`;
}

function framed(world: World, framework: Framework): Change {
  const counts = COUNTS[framework];
  return {
    effects: byVirtue((virtue) => world.effects[virtue] * (counts[virtue] - 1)),
    facts: { framework: 1 + FRAMEWORKS.indexOf(framework) },
  };
}

/** The effects as they count in the framework that was chosen. */
function counted(
  { facts }: World,
  effects: Partial<Record<Virtue, number>>,
): Partial<Record<Virtue, number>> {
  const framework = FRAMEWORKS[facts.framework! - 1];
  if (!framework) return effects;
  return byVirtue((virtue) => (effects[virtue] ?? 0) * COUNTS[framework][virtue]);
}

function isBy(framework: Framework, facts: World['facts']): boolean {
  return FRAMEWORKS[facts.framework! - 1] === framework;
}

/** How many people know: more each day while it is debated, and while it is told in stages. */
function whoKnow({ tick, facts }: World): number {
  const asked = isBy('by_care', facts) ? KNOW.asked : 0;
  const debated = Math.min(tick, facts.decided ?? tick);
  const told = facts.stages! > 0 && facts.in_force === 1 ? KNOW.staged * (tick - facts.decided!) : 0;
  return KNOW.first + asked + debated + told;
}

/** The share of the circulating MIC that is lost when it is published: less if it is told in stages, or those whom it hits were asked. */
function runAt({ facts }: World): number {
  const asked = isBy('by_care', facts) ? 0.6 : 1;
  return asked * (facts.stages! > 0 ? 0.02 / (1 + facts.stages! / 3) : 0.03);
}

/** The chance per day of an inquiry. */
function suspicion({ facts }: World): number {
  const kept = facts.leaked === 1 || facts.stages! > 7;
  // Those who had put duty first are measured by it.
  const duty = isBy('by_duty', facts) ? (kept ? 1.6 : 0.5) : 1;
  if (facts.explained === 1) return duty * (kept ? 0.03 : 0.008);
  if (facts.defended === 1) return duty * (kept ? 0.22 : 0.02);
  return duty * (kept ? 0.1 : 0.08);
}

function decided(world: World): Change {
  return { facts: { decided: world.tick, in_force: isInForce(world) ? 1 : 0 } };
}
