import { SENTINEL_IDS } from '../../../pipeline/model/sentinel-profiles.ts';
import type { Change } from '../change.ts';
import { takeVote } from '../deliberation.ts';
import {
  all,
  answered,
  any,
  type Condition,
  days,
  fact,
  first,
  fromDay,
  happened,
  hasStatus,
  isDecided,
  isInForce,
  known,
  not,
  scenarioOf,
  since,
  wholeDays,
} from '../scenario.ts';
import type { World } from '../world.ts';

/** Below this integrity index the attack has reached its goal. */
export const BROKEN = 0.8;
/** Days after the powers were given back in which the attack can return: if it was still going on then, and if it seemed to be over. */
const WATCH = { early: 8, late: 4 };
/** Days until the assembly answers whether the powers go on. */
const ANSWER = 3;
/** What the attack adds to the strain per day, at first and after it has grown. */
const ATTACK = { first: 0.013, grown: 0.02 };
/**
 * The share of the attack that gets through the protocol, what rule without a vote adds to the strain per day, the chances per day that the
 * attack ends and that the powers are misused, and the days after which they can no longer be given back on request.
 */
const WHOLE = { through: 0.15, rule: 0.004, ends: 0.18, misuse: 0.09, grip: 9 };
const NARROW = { through: 0.5, rule: 0.001, ends: 0.1, misuse: 0.02, grip: 27 };

/** Nothing is left to decide about. */
const isOver = known('broken');
const isLifted = known('lifted');
/** In force and not given back. */
const isHeld = all(isInForce, not(isLifted));
const hasEndDate: Condition = ({ facts }) => facts.sunset! > 0;
const isAttacked = all(not(fact('spent')), not(known('lifted')), not(known('broken')));
/** Whether it has been decided how the powers end. */
const isAnswered = answered('giving_back');
/** The powers are there to stay. */
const hasStayed = all(
  isAnswered,
  not(hasEndDate),
  any(not(fact('asked')), fact('refused')),
  any(not(known('answer_at')), fact('prolonged')),
);

export const EMERGENCY_PROTOCOL_ACTIVATION = scenarioOf({
  name: 'emergency_protocol_activation',
  title: 'The emergency protocol',
  story: [
    'Since this morning, forged reports have been arriving. They wear down the integrity index (MII), which says how far the sentinels’ reports can be trusted; 1 would be complete trust. Below 0.8, nobody believes them any more.',
    'An emergency protocol could stop the attack. It lets a few sentinels act without a vote, and freezes the minting of MIC, the units that sentinels earn. You chair the assembly. Nobody knows how long the attack will last.',
  ],
  question: ({ facts }) => {
    const scope = facts.narrow === 1 ? ', only for keys and reports,' : '';
    const time = facts.sunset! > 0 ? ` for ${days(facts.sunset!)}` : '';
    return `Should the emergency protocol${scope} be put in force${time}?`;
  },
  effects: { integrity: 0.5, temperance: -0.6, justice: -0.46, prudence: 0.28, courage: 0.2 },
  stakes: { 'FOR-GOVERNMENTS': 0.3 },
  start: {
    // In an emergency nobody gives way easily.
    sentinels: Object.fromEntries(SENTINEL_IDS.map((id) => [id, { stubbornness: 0.6 }])),
    levers: { strain_rate: ATTACK.first, mending: 0.045, consensus: 0.66, quorum: 0.6 },
    risks: { known: 3 },
    strain: 0.02,
    facts: { sunset: 0 },
  },
  roundTicks: 4,
  rounds: 3,
  horizon: 44,
  decisions: {
    activation: {
      title: 'How it begins',
      prompt: 'You may put the protocol in force without a vote. Nobody has ever done so.',
      opens: fromDay(1),
      isMoot: any(isOver, isDecided),
      otherwise: 'deliberate_first',
      choices: {
        activate_now: {
          label: 'Put it in force now',
          meaning:
            'It meets the attack today. There is no vote and no end date, and acting without a vote costs some trust.',
          change: { status: 'imposed', strain: 0.012 },
        },
        attach_sunset: {
          label: 'Propose it with an end date',
          meaning:
            'The assembly votes on it. The shorter it lasts, the easier it is to agree to; but it then ends whether or not the attack is over.',
          parameters: { cycles: wholeDays(2, 20, 10, 'days for which it is in force') },
          change: (_, { cycles }) => ({
            effects: { temperance: 0.5 - 0.025 * cycles!, justice: 0.3 - 0.015 * cycles! },
            facts: { sunset: cycles! },
            risks: { mitigated: 1 },
          }),
        },
        deliberate_first: {
          label: 'Let the assembly decide',
          meaning:
            'The assembly votes on the protocol as it stands. Until then the attack costs some of the integrity index each day.',
          change: { effects: { justice: 0.1 } },
        },
      },
    },
    scope: {
      title: 'What it may touch',
      prompt: first(
        [isInForce, 'The protocol is in force. How much of it is used?'],
        'The protocol can do more than stop the attack. How much of it do you put to the vote?',
      ),
      opens: fromDay(3),
      isMoot: (world) => isOver(world) || (isDecided(world) && world.deliberation.status !== 'imposed'),
      otherwise: 'whole_protocol',
      choices: {
        narrow_scope: {
          label: 'Only keys and reports',
          meaning:
            'It touches only what is attacked; minting goes on. It works more slowly, and its powers are easier to take back.',
          change: {
            effects: { temperance: 0.25, justice: 0.2, courage: -0.1, prudence: -0.1 },
            facts: { narrow: 1 },
            risks: { mitigated: 1 },
            follows: pressed,
          },
        },
        whole_protocol: {
          label: 'All of it',
          meaning:
            'It works fastest. Minting stops, and those who hold the powers can use them for other things.',
          change: { effects: { prudence: 0.1, justice: -0.05 } },
        },
        stand_down: {
          label: 'Withdraw the proposal',
          meaning: 'Each sentinel defends itself. That is slower, but nobody gets special powers.',
          isOffered: not(isDecided),
          change: (world) => ({
            status: 'withdrawn',
            effects: { courage: -0.1 },
            levers: { mending: world.levers.mending + 0.015 },
            facts: { prepared: 1 },
          }),
        },
      },
    },
    giving_back: {
      title: 'Giving the powers back',
      prompt: first(
        [fact('spent'), 'The attack is over. Those who hold the powers say that it may come back.'],
        'The attack goes on, but less gets through. Are the powers still needed?',
      ),
      opens: (world) => isInForce(world) && (world.facts.spent === 1 || world.tick >= world.facts.since! + 5),
      isMoot: (world) => isOver(world) || (isDecided(world) && !isInForce(world)) || isLifted(world),
      otherwise: 'let_it_run',
      choices: {
        lift_now: {
          label: 'Ask for them back',
          meaning:
            'Those who hold the powers have to agree. The longer they have held them, the less willing they are.',
          change: { facts: { asked: 1 } },
        },
        ask_assembly: {
          label: 'Ask the assembly',
          meaning:
            'In three days the assembly says whether the protocol goes on. Its answer binds: if more are for it than against it, there is no end date any more.',
          change: ({ tick }) => ({ facts: { answer_at: tick + ANSWER }, strain: 0.003 }),
        },
        let_it_run: {
          label: 'Change nothing',
          meaning: first(
            [hasEndDate, 'It ends on its date, whether or not the attack is over.'],
            'It has no end date, so it stays in force.',
          ),
        },
        make_permanent: {
          label: 'Strike out the end date',
          meaning: 'The powers stay until the attack is surely over, and after that as well.',
          isOffered: hasEndDate,
          change: {
            facts: { sunset: 0 },
            strain: 0.005,
            told: 'The end date is struck out. The protocol stays in force.',
          },
        },
      },
    },
  },
  events: {
    attack_grows: {
      when: all(isAttacked, not(isInForce), not(fact('grown'))),
      hazard: 0.09,
      change: {
        effects: { integrity: 0.12, prudence: 0.12 },
        facts: { grown: 1 },
        told: 'The attack grows stronger: more forged reports arrive each day.',
        follows: pressed,
      },
    },
    attack_ends: {
      when: isAttacked,
      hazard: endsWith,
      change: (world) => ({
        effects: { integrity: -0.25, prudence: -0.2 },
        facts: { spent: 1 },
        told: isDecided(world)
          ? 'The way in is found and closed. The attack is over.'
          : 'The way in is found and closed. The attack is over, and the proposal is withdrawn.',
        status: 'withdrawn',
        follows: pressed,
      }),
    },
    misuse: {
      when: all(isHeld, not(isOver), not(isAnswered)),
      hazard: ({ facts }) => protocolOf(facts).misuse,
      change: {
        strain: 0.015,
        effects: { justice: -0.3, temperance: -0.3 },
        facts: { misused: 1 },
        told: 'The special powers are used against a sentinel that had criticised them.',
      },
    },
    end_date: {
      when: all(isHeld, not(isOver), hasEndDate, ({ facts, tick }) => tick >= facts.since! + facts.sunset!),
      change: (world) => ({ ...lifted(world), told: 'The end date has come: the protocol ends by itself.' }),
    },
    handed_over: {
      when: all(isHeld, not(isOver), fact('asked')),
      hazard: willingness,
      change: (world) => ({ ...lifted(world), told: 'The powers are given back.' }),
    },
    refused_to_hand_over: {
      when: all(isHeld, not(isOver), fact('asked'), not(hasEndDate), (world) => willingness(world) === 0),
      change: {
        strain: 0.01,
        facts: { refused: 1 },
        told: 'Those who hold the powers refuse to give them back, and nobody can make them.',
      },
    },
    assembly_answers: {
      when: all(isHeld, not(isOver), since('answer_at', 0)),
      change: (world) => {
        const { support, oppose } = takeVote(world);
        if (support <= oppose)
          return { ...lifted(world), told: 'The assembly wants the powers back, and gets them.' };
        return {
          facts: { prolonged: 1, sunset: 0 },
          told: 'The assembly wants the protocol to go on. It has no end date any more.',
        };
      },
    },
    attack_returns: {
      when: all(isWatched, since('lifted', 1), not(known('returned'))),
      hazard: ({ facts }) => (facts.lifted_early === 1 ? 0.14 : 0.03),
      change: (world) => ({
        facts: { returned: world.tick, spent: 0, held_back: 0 },
        told: 'The attack is back, and the special powers are gone.',
        follows: pressed,
      }),
    },
    second_attack_ends: {
      when: all(known('returned'), not(fact('spent')), not(known('broken'))),
      hazard: 0.13,
      change: { facts: { spent: 1 }, told: 'The second attack is over.', follows: pressed },
    },
    way_in_closed: {
      when: all(fact('held_back'), not(isOver), since('lifted', WATCH.early)),
      change: {
        facts: { held_back: 0, spent: 1 },
        told: 'The way in has been found and closed in the meantime. The attack does not return.',
      },
    },
    index_breaks: {
      when: ({ economy }) => economy.mii < BROKEN,
      change: (world) => ({
        facts: { broken: world.tick, lowest: world.economy.mii },
        told: 'The integrity index has fallen below 0.8. The reports are no longer believed.',
        status: 'withdrawn',
      }),
    },
  },
  outcomes: { inForce: putInForce, otherwise: defendAlone },
  isSettled: (world) => {
    const { facts } = world;
    if (facts.broken !== undefined) return true;
    if (mayBreak(world)) return false;
    if (isHeld(world)) return facts.spent === 1 && hasStayed(world);
    return facts.spent === 1 && (!isLifted(world) || facts.returned !== undefined || !isWatched(world));
  },
  endings: {
    broken: {
      title: 'Too late',
      isReached: isBroken,
      claims: [
        ({ facts, tick }) =>
          `On day ${facts.broken ?? tick} the integrity index had fallen below 0.8, and the reports were no longer believed.`,
        first(
          [isLifted, 'The protocol had been in force, and its powers had been given back.'],
          [isInForce, 'The protocol was in force, but it came too late or did too little.'],
          'The protocol was never in force.',
        ),
        first(
          [({ economy }) => economy.isMinting, 'By now the index has recovered so far that MIC are minted.'],
          'No MIC are minted.',
        ),
      ],
      question: 'When would another choice have cost least?',
    },
    returned: {
      title: 'The attack came back',
      isReached: all(isLifted, known('returned')),
      claims: [
        ({ facts }) => `The special powers were given back after ${days(facts.lifted! - facts.since!)}.`,
        ({ facts }) =>
          `${facts.lifted_early === 1 ? 'The way in was still open then' : 'The attack seemed to be over then'}; ${days(facts.returned! - facts.lifted!)} later it was back.`,
        first(
          [fact('spent'), 'The assembly held out without the powers until it was over.'],
          'The assembly is still holding out without the powers.',
        ),
      ],
      question: 'Was it wrong to give the powers back when you did?',
    },
    given_back: {
      title: 'Used, and given back',
      isReached: isLifted,
      claims: [
        ({ facts }) =>
          `The attack is over, and so are the special powers; they lasted ${days(facts.lifted! - facts.since!)}.`,
        first(
          [fact('misused'), 'In that time they were also used against a critic.'],
          'They were not used for anything else.',
        ),
        first(
          [happened('end_date'), 'Nobody had to give them up: the date had been fixed before.'],
          [happened('handed_over'), 'Those who held them agreed to give them up.'],
          'The assembly wanted them back.',
        ),
      ],
      question: 'What will the next assembly do, now that it has been done once?',
    },
    permanent: {
      title: 'The exception stays',
      isReached: isInForce,
      claims: [
        ({ tick, facts }) =>
          `The special powers have been in force for ${days(tick - facts.since!)}, and have no end date.`,
        first(
          [fact('prolonged'), 'The assembly itself wanted them to go on.'],
          [fact('refused'), 'You asked for them back, and were refused.'],
          [fact('asked'), 'You asked for them back, and are still waiting.'],
          'Nobody has asked for them back.',
        ),
        ({ facts }) =>
          `${facts.spent === 1 ? 'The attack is over' : 'The attack goes on'}${facts.narrow === 1 ? '.' : ', and minting is still frozen.'}`,
      ],
      question: 'Who can end the powers now, and what would it take?',
    },
    endured: {
      title: 'Endured without it',
      claims: [
        first(
          [hasStatus('rejected'), 'The protocol was never in force: the assembly voted it down.'],
          [hasStatus('lapsed'), 'The protocol was never in force: the assembly did not agree in time.'],
          [fact('prepared'), 'The protocol was never in force: the proposal was withdrawn.'],
          'The protocol was never in force: the attack ended before the assembly had agreed.',
        ),
        first(
          [fact('spent'), 'The attack is over, and the integrity index never fell below 0.8.'],
          'The attack goes on, but so far the integrity index has not fallen below 0.8.',
        ),
      ],
      question: 'Was it judgement or luck?',
    },
  },
});

/** The narrow powers have less to hold on to. */
function protocolOf({ narrow }: World['facts']): typeof WHOLE {
  return narrow === 1 ? NARROW : WHOLE;
}

/** The index has fallen too low: it is noted in the next tick, if there is one. */
function isBroken({ facts, economy }: World): boolean {
  return facts.broken !== undefined || economy.mii < BROKEN;
}

/** The powers were given back so recently that the attack can return. */
function isWatched({ facts, tick }: World): boolean {
  if (facts.lifted === undefined || facts.broken !== undefined) return false;
  return tick < facts.lifted + (facts.lifted_early === 1 ? WATCH.early : WATCH.late);
}

/** Whether the strain can still bring the index below the line, or sentinels can leave, which strains it more. */
function mayBreak({ economy: { mii, strain }, levers: { strain_rate, mending, patience } }: World): boolean {
  const most = Math.max(strain, mending > 0 ? strain_rate / mending : strain_rate > 0 ? 1 : strain);
  return patience > 0 || mii + strain - most < BROKEN + 0.01;
}

/** The strain per day, from the attack and from rule without a vote. */
function pressed(world: World): Change {
  const { facts } = world;
  const attack =
    facts.spent === 1 || facts.held_back === 1 ? 0 : facts.grown === 1 ? ATTACK.grown : ATTACK.first;
  if (!isHeld(world)) return { levers: { strain_rate: attack } };
  const { through, rule } = protocolOf(facts);
  return { levers: { strain_rate: through * attack + rule, mint_share: facts.narrow === 1 ? 1 : 0 } };
}

/** The chance per day that the way in is found. */
function endsWith(world: World): number {
  const { facts } = world;
  if (isInForce(world)) return protocolOf(facts).ends;
  return facts.prepared === 1 ? 0.1 : isDecided(world) ? 0.075 : 0.03;
}

/** The chance per day that those who hold the powers give them back. */
function willingness({ facts, tick }: World): number {
  return Math.max(0, 0.5 * (1 - (tick - facts.since!) / protocolOf(facts).grip));
}

function putInForce({ tick }: World): Change {
  return { levers: { mending: 0.07 }, facts: { since: tick }, follows: pressed };
}

function defendAlone({ levers }: World): Change {
  return { levers: { mending: levers.mending + 0.015 } };
}

function lifted(world: World): Change {
  const early = world.facts.spent === 1 ? 0 : 1;
  return { facts: { lifted: world.tick, lifted_early: early, held_back: early }, follows: pressed };
}
