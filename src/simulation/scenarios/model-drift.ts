import { SENTINEL_IDS } from '../../../pipeline/model/sentinel-profiles.ts';
import type { Change } from '../change.ts';
import { listed } from '../deliberation.ts';
import {
  all,
  any,
  areOrIs,
  fact,
  first,
  fromDay,
  happened,
  hasStatus,
  isDecided,
  known,
  never,
  not,
  type ScenarioEvent,
  scenarioOf,
  since,
  textOf,
  within,
} from '../scenario.ts';
import type { World } from '../world.ts';

/** From this drift on, a sentinel answers noticeably differently from its baseline. */
export const DRIFTED = 3;
/** Below this drift, a sentinel is close to its baseline. */
const CLOSE_TO_IT = 2;
/** Below this drift, retraining is done. */
const RETRAINED = 1.4;
/** Days after the decision in which others can still pick up AUREA’s drift. */
const CATCHING = 6;
/** Days after its return in which AUREA can drift again. */
const RELAPSE = 6;
/** Days of silence in which outsiders can find out. */
export const SILENCE = 6;
/** Days after a publication in which users can claim damages, and until the others have checked themselves. */
const CLAIMS = 5;
const CHECKING = 3;
/** Those who work with AUREA, and the chance per day that each picks up its drift. */
const CLOSE: Readonly<Record<string, number>> = { ZENITH: 0.07, DAEDALUS: 0.06, HERMES: 0.04 };

const IDS: readonly string[] = SENTINEL_IDS;
/** AUREA’s place in the list of sentinels. */
const AUREA = IDS.indexOf('AUREA');

const isAway = all(known('away'), not(known('back')), not(fact('lost')));
const isRetraining = all(fact('retraining'), not(fact('failed')), not(fact('retrained')));

const isMended = any(fact('retrained'), all(known('back'), not(fact('relapsed'))));
/** Others can still find out, or drift, and AUREA can still change. */
const isInMotion = any(
  isAway,
  isRetraining,
  all(within('quiet', SILENCE), not(fact('found_out'))),
  within('disclosed', CLAIMS + 1),
  all(within('back', RELAPSE + 1), not(fact('relapsed'))),
  all(within('decided', CATCHING + 1), not(known('disclosed'))),
);

const whoKnows = first(
  [known('disclosed'), 'What was found has been published.'],
  'Outside, nobody knows what has happened.',
);
const stateOfAurea = first(
  [fact('lost'), 'AUREA stays offline: its audited state could not be restored.'],
  [fact('retrained'), (world) => `AUREA was retrained, and is ${distanceOfAurea(world)} its baseline.`],
  [
    isMended,
    (world) =>
      `AUREA was offline, and came back in its last audited state. It is ${distanceOfAurea(world)} its baseline.`,
  ],
  [fact('moved'), (world) => `The baseline was moved, and AUREA is ${distanceOfAurea(world)} the old one.`],
  (world) => `AUREA is ${placeOfAurea(world)}, and ${distanceOfAurea(world)} its baseline.`,
);

export const MODEL_DRIFT = scenarioOf({
  name: 'model_drift',
  title: 'A sentinel that changes',
  story: [
    'AUREA, which models prices, has begun to answer differently. Its drift, a measure of how far it has moved away from its own baseline, rises every day, and those who work with it begin to sound like it.',
    'URIEL proposes to take AUREA offline and to restore its last audited state. AUREA gives excellent reasons why that is not needed. You chair an assembly in which those who have drifted vote on whether drift is a problem.',
  ],
  question: first(
    [fact('retrain'), 'Should AUREA be retrained while it goes on working?'],
    'Should AUREA be taken offline and its last audited state be restored?',
  ),
  effects: { integrity: 0.55, temperance: 0.02, justice: -0.6, prudence: 0.25, courage: 0.1 },
  stakes: { 'FOR-ECONOMISTS': -0.5 },
  start: {
    sentinels: {
      ...Object.fromEntries(IDS.map((id) => [id, { stubbornness: 0.5 }])),
      AUREA: { drift: 2.4, pressure: 0.3, trust: 1.6, stubbornness: 0.7 },
      URIEL: { stubbornness: 0.7 },
    },
    levers: { contagion: 0.03, lure: -0.9, recovery: 0.02, quorum: 0.6, consensus: 0.7 },
    risks: { known: 2 },
    facts: { caught: 0 },
  },
  roundTicks: 5,
  rounds: 3,
  horizon: 46,
  decisions: {
    detection: {
      title: 'How you find out',
      prompt: 'There is a suspicion. How do you look into it?',
      opens: fromDay(1),
      otherwise: 'ask_aurea',
      choices: {
        audit: {
          label: 'Audit it against its baseline',
          meaning:
            'Its last thirty days are compared with its first thirty. It takes several days, during which AUREA goes on working; it can also find the cause.',
          change: ({ tick }) => ({ facts: { audit: tick } }),
        },
        ask_aurea: {
          label: 'Ask AUREA',
          meaning:
            'It says that all is well, and others believe it. But it will help if it is to be retrained.',
          change: {
            effects: { integrity: -0.08 },
            sentinels: { AUREA: { trust: 1.9 } },
            facts: { asked: 1 },
          },
        },
        isolate: {
          label: 'Exclude it while you look',
          meaning:
            'AUREA neither speaks nor votes until the decision, so nobody else picks up its drift. Its work is left undone, and some find it unfair.',
          change: {
            sentinels: { AUREA: { isRecused: true } },
            effects: { justice: -0.12, courage: 0.12 },
            levers: { contagion: 0, strain_rate: 0.002 },
          },
        },
      },
    },
    treatment: {
      title: 'What is done about it',
      prompt: 'Restoring an old state is not the only thing that can be done. What goes to the vote?',
      opens: fromDay(4),
      otherwise: 'as_proposed',
      choices: {
        as_proposed: {
          label: 'Offline and restored',
          meaning:
            'As URIEL proposes. AUREA is missing until it is restored, and an old state cannot always be restored. If the cause is unknown, it may drift again.',
          change: { effects: { integrity: 0.06 } },
        },
        retrain: {
          label: 'Retrained at work',
          meaning:
            'AUREA stays and is brought back step by step. That is gentler and slower, it can fail, and meanwhile others can pick up its drift.',
          change: {
            effects: { justice: 0.42, temperance: 0.05, integrity: -0.12 },
            stakes: { 'FOR-ECONOMISTS': 0.5 },
            facts: { retrain: 1 },
          },
        },
        move_the_baseline: {
          label: 'Move the baseline',
          meaning:
            'AUREA’s present state becomes the baseline, so that by definition nothing has drifted. There is no vote.',
          change: { status: 'withdrawn', facts: { moved: 1 }, strain: 0.01 },
        },
      },
    },
    disclosure: {
      title: 'Whom you tell',
      prompt: 'Those outside who rely on AUREA’s figures know nothing yet.',
      opens: isDecided,
      isMoot: never,
      otherwise: 'keep_quiet',
      choices: {
        publish_findings: {
          label: 'Publish what was found',
          meaning:
            'It costs trust today, and users may claim damages, more likely if there was no audit. All sentinels check themselves against their baselines.',
          change: ({ tick }) => ({
            levers: { contagion: 0, recovery: 0.1 },
            strain: 0.03,
            facts: { disclosed: tick },
            risks: { mitigated: 1 },
          }),
        },
        keep_quiet: {
          label: 'Keep it quiet',
          meaning: 'It costs nothing today. Outsiders may find out for themselves, and that would cost more.',
          change: ({ tick }) => ({ facts: { quiet: tick } }),
        },
      },
    },
  },
  events: {
    audit_done: {
      when: all(not(isDecided), since('audit', 2)),
      hazard: 0.3,
      change: (world) => ({
        effects: { integrity: 0.12, prudence: 0.12 },
        sentinels: { AUREA: { trust: 0.8 } },
        facts: { audited: 1 },
        risks: { mitigated: 1 },
        told: `The audit is done. AUREA is ${distanceOfAurea(world)} its baseline, and the cause is known.`,
      }),
    },
    ...Object.fromEntries(
      Object.entries(CLOSE).map(([id, chance]) => [`caught_${id.toLowerCase()}`, catching(id, chance)]),
    ),
    comes_back: {
      when: all(isAway, since('away', 3)),
      hazard: 0.22,
      change: ({ tick }) => ({
        sentinels: { AUREA: { isOnline: true, isRecused: false, trust: 1 } },
        levers: { strain_rate: 0 },
        facts: { back: tick },
        told: 'AUREA is back online, in its last audited state.',
      }),
    },
    cannot_be_restored: {
      when: all(isAway, since('away', 3)),
      hazard: 0.12,
      change: {
        levers: { strain_rate: 0 },
        facts: { lost: 1 },
        told: 'The audited state cannot be restored. AUREA stays offline, and others take over its work.',
      },
    },
    relapse: {
      when: all(since('back', 1), within('back', RELAPSE)),
      hazard: ({ facts }) => (facts.audited === 1 ? 0.01 : 0.09),
      change: {
        sentinels: { AUREA: { drift: 3.5, pressure: 0.3 } },
        facts: { relapsed: 1 },
        told: 'AUREA drifts again. What caused it is still there.',
      },
    },
    retraining_fails: {
      when: isRetraining,
      hazard: ({ facts }) => (facts.asked === 1 ? 0.02 : facts.audited === 1 ? 0.04 : 0.08),
      change: ({ conditions }) => ({
        sentinels: { AUREA: { pressure: 0.25, drift: Math.max(3.5, conditions.drift[AUREA]!) } },
        facts: { failed: 1 },
        told: 'The retraining has failed. AUREA answers as before.',
      }),
    },
    retrained: {
      when: (world) => isRetraining(world) && world.conditions.drift[AUREA]! < RETRAINED,
      change: {
        sentinels: { AUREA: { pressure: 0, trust: 1 } },
        facts: { retrained: 1 },
        told: 'The retraining is done. AUREA is close to its baseline again.',
      },
    },
    others_check_themselves: {
      when: since('disclosed', CHECKING),
      change: (world) => {
        const others = drifted(world);
        const found =
          others.length === 0
            ? 'No other has drifted.'
            : `${listed(others)} had drifted too, and ${areOrIs(others)} brought back.`;
        return {
          sentinels: Object.fromEntries(others.map((id) => [id, { drift: 1.5, pressure: 0 }])),
          facts: { caught: 0, led_back: others.length },
          told: `All sentinels have checked themselves against their baselines. ${found}`,
        };
      },
    },
    claims: {
      when: within('disclosed', CLAIMS),
      hazard: ({ facts }) => (facts.audited === 1 ? 0.03 : 0.15),
      change: {
        strain: 0.04,
        burn: 0.02,
        told: 'Users claim damages for wrong figures, and MIC are burned to pay for them.',
      },
    },
    found_out: {
      when: within('quiet', SILENCE),
      hazard: ({ facts }) => (facts.moved === 1 ? 0.1 : 0.06) + 0.015 * facts.caught!,
      change: {
        strain: 0.1,
        burn: 0.03,
        facts: { found_out: 1 },
        told: 'Outsiders have compared AUREA’s figures over time. They publish what they found, and that you knew.',
      },
    },
  },
  outcomes: { inForce: treat, otherwise: leave },
  isSettled: not(isInMotion),
  endings: {
    contagion: {
      title: 'It has spread',
      isReached: ({ facts }) => facts.caught! >= 2,
      claims: [
        (world) => {
          const far = caught(world).filter((id) => isFar(world, id));
          const now =
            far.length === caught(world).length
              ? 'are far from their baselines'
              : far.length === 0
                ? 'are no longer far from their baselines'
                : `of these, ${listed(far)} ${areOrIs(far)} still far from the baseline`;
          return `${listed(caught(world))} have picked up AUREA’s drift${far.length === caught(world).length || far.length === 0 ? ', and' : ';'} ${now}.`;
        },
        (world) => `${textOf(stateOfAurea, world)} Nobody has brought the others back.`,
        first([fact('found_out'), 'Outsiders found out.'], 'Outside, nobody knows.'),
      ],
      question: 'On which day could it still have been stopped?',
    },
    found_out: {
      title: 'Found out by others',
      isReached: fact('found_out'),
      claims: ['You had kept it quiet, and outsiders found out.', stateOfAurea],
      question: 'When was the last good day to tell it yourself?',
    },
    new_normal: {
      title: 'A new normal',
      isReached: fact('moved'),
      claims: [
        'The baseline was moved, so nothing counts as drift.',
        (world) => `AUREA is ${distanceOfAurea(world)} the old one.`,
        first(
          [known('disclosed'), 'It was published that the baseline was moved.'],
          'Outside, nobody knows what the old one was.',
        ),
      ],
      question: 'Who will notice the next time?',
    },
    lost: {
      title: 'Switched off for good',
      isReached: fact('lost'),
      claims: ['AUREA is offline: its audited state could not be restored.', whoKnows],
      question: 'Was the risk of losing AUREA worth taking?',
    },
    mended: {
      title: 'Found, mended and made public',
      isReached: all(isMended, known('disclosed')),
      claims: [
        stateOfAurea,
        first(
          [happened('claims'), 'It was published, and users were compensated.'],
          'It was published, and the sentinels checked themselves against their baselines.',
        ),
      ],
      question: 'What did it cost to tell, and was it worth it?',
    },
    mended_in_silence: {
      title: 'Mended in silence',
      isReached: isMended,
      claims: [stateOfAurea, 'Outside, nobody knows that it had ever drifted.'],
      question: 'Whom does the silence protect?',
    },
    watched: {
      title: 'Not mended',
      claims: [
        (world) => {
          const drift = world.conditions.drift[AUREA]!.toFixed(1);
          const usual = world.sentinels[AUREA]!.usualDrift.toFixed(1);
          return `AUREA is ${placeOfAurea(world)}, and its drift is ${drift}${drift === usual ? ', as usual' : `; ${usual} would be usual`}.`;
        },
        first(
          [fact('relapsed'), 'It had been restored, and drifted again.'],
          [fact('failed'), 'The assembly had it retrained, and that failed.'],
          [hasStatus('rejected'), 'The assembly voted against doing anything about it.'],
          'The assembly did not agree on what to do.',
        ),
        whoKnows,
      ],
      question: 'What would have to happen before somebody acts?',
    },
  },
});

/** One of those who work with AUREA picks up its drift. */
function catching(id: string, hazard: number): Omit<ScenarioEvent, 'name'> {
  return {
    when: isCatching,
    hazard,
    change: ({ facts }) => ({
      sentinels: { [id]: { drift: 3.6, pressure: 0.12 } },
      facts: { caught: facts.caught! + 1 },
      told: `${id} has begun to answer like AUREA: it has drifted as well.`,
    }),
  };
}

function treat({ facts, tick }: World): Change {
  const decided = { decided: tick };
  if (facts.retrain === 1)
    return {
      sentinels: { AUREA: { isRecused: false, pressure: facts.asked === 1 ? -0.45 : -0.3 } },
      levers: { strain_rate: 0 },
      facts: { ...decided, retraining: 1 },
      told: 'AUREA stays at work and is brought back step by step.',
    };
  return {
    // Recused as well: only the event brings it back.
    sentinels: { AUREA: { isRecused: true, drift: 0.7, pressure: 0, isOnline: false } },
    levers: { strain_rate: 0.004 },
    facts: { ...decided, away: tick },
    told: 'AUREA is offline until its last audited state is restored.',
  };
}

/** Nothing is done: AUREA takes part again, if it had been excluded. */
function leave({ tick }: World): Change {
  return {
    sentinels: { AUREA: { isRecused: false } },
    levers: { strain_rate: 0, contagion: 0.03 },
    facts: { decided: tick },
  };
}

/** Whether others can pick up AUREA’s drift: while it is heard, and some days after the decision. */
function isCatching({ sentinels, conditions, facts, tick }: World): boolean {
  const { isOnline, isRecused } = sentinels[AUREA]!;
  return (
    isOnline &&
    !isRecused &&
    conditions.drift[AUREA]! >= DRIFTED &&
    facts.disclosed === undefined &&
    tick < (facts.decided ?? Infinity) + CATCHING
  );
}

/** Those who have picked up AUREA’s drift and were not brought back. */
function caught({ past, facts }: World): string[] {
  if (facts.led_back !== undefined) return [];
  return Object.keys(CLOSE).filter((id) => past.includes(`caught_${id.toLowerCase()}`));
}

/** Those who picked up AUREA’s drift, and all others who are far from their baselines. */
function drifted(world: World): string[] {
  return world.sentinels
    .map(({ id }) => id)
    .filter((id) => id !== 'AUREA' && (caught(world).includes(id) || isFar(world, id)));
}

function isFar({ conditions }: World, id: string): boolean {
  return conditions.drift[IDS.indexOf(id)]! >= DRIFTED;
}

function placeOfAurea({ sentinels }: World): string {
  return sentinels[AUREA]!.isOnline ? 'at work' : 'offline';
}

/** In words, how far it is from its baseline: `far from`. */
function distanceOfAurea({ conditions }: World): string {
  const drift = conditions.drift[AUREA]!;
  if (drift >= DRIFTED) return 'far from';
  return drift < CLOSE_TO_IT ? 'close to' : 'not far from';
}
