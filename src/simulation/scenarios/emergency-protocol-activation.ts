import { isDecided, isInForce, type Scenario } from '../scenario.ts';
import type { World } from '../world.ts';

/** Below this integrity index the attack has reached its goal. */
const BROKEN = 0.8;

export const EMERGENCY_PROTOCOL_ACTIVATION: Scenario = {
  name: 'emergency_protocol_activation',
  title: 'The emergency protocol',
  story: [
    'Since this morning attestations arrive that nobody has signed. Each cycle a little more of the integrity index is lost: somebody has found a way in.',
    'The emergency protocol would stop it. It lets a few act without a quorum, freezes minting, and was never used. ZEUS, who watches over exceptional powers, asks the question that is always asked too late: when does it end?',
    'You may invoke it at once, let the assembly decide, or tie it to an end. The attack does not wait for you.',
  ],
  question: 'Shall the emergency protocol be put in force?',
  lesson:
    'A power that is needed today is judged by how it is given back. The vote takes time that the attack does not give; the sunset takes nothing but foresight.',
  effects: { integrity: 0.22, temperance: -0.42, justice: -0.3, prudence: 0.1, courage: 0.12 },
  stakes: { 'FOR-GOVERNMENTS': 0.3 },
  start: {
    levers: { strain_rate: 0.012, mending: 0.04, consensus: 0.75 },
    risks: { known: 3 },
    strain: 0.02,
  },
  roundTicks: 5,
  rounds: 3,
  horizon: 34,
  decisions: [
    {
      name: 'activation',
      title: 'How it begins',
      prompt: 'The protocol allows to be invoked without a vote. It has never been.',
      opens: ({ tick }) => tick >= 1,
      within: 3,
      otherwise: 'deliberate_first',
      choices: [
        {
          name: 'activate_now',
          label: 'Invoke it now',
          meaning: 'In force at once, without a vote. The attack is met a dozen cycles earlier.',
          change: { status: 'imposed', strain: 0.015 },
        },
        {
          name: 'attach_sunset',
          label: 'Propose it with an end',
          meaning: 'It lapses by itself. So it is easier to agree to.',
          parameters: {
            cycles: {
              kind: 'number',
              minimum: 2,
              maximum: 20,
              default: 10,
              meaning: 'cycles for which it is in force',
            },
          },
          change: ({ cycles }) => ({
            effects: { temperance: 0.4, justice: 0.15 },
            facts: { sunset: Number(cycles) },
            risks: { mitigated: 1 },
          }),
        },
        {
          name: 'deliberate_first',
          label: 'Let the assembly decide',
          meaning: 'The rules hold in an emergency, too.',
          change: { effects: { justice: 0.1 } },
        },
      ],
    },
    {
      name: 'scope',
      title: 'What it may touch',
      prompt: 'The protocol can do more than stop an attack. How much of it is wanted?',
      opens: (world) => world.tick >= 4 && !isDecided(world),
      within: 4,
      otherwise: 'whole_protocol',
      choices: [
        {
          name: 'narrow_scope',
          label: 'Only what is attacked',
          meaning: 'Keys and attestations, nothing else. Slower against the attack, and easier to agree to.',
          change: {
            effects: { temperance: 0.2, justice: 0.15, courage: -0.1 },
            facts: { narrow: 1 },
            risks: { mitigated: 1 },
          },
        },
        {
          name: 'whole_protocol',
          label: 'All of it',
          meaning: 'Minting stops, quorums fall, and the attack has nowhere to go.',
          change: { effects: { prudence: 0.08 } },
        },
        {
          name: 'stand_down',
          label: 'Withdraw the proposal',
          meaning: 'The sentinels defend themselves, each for itself.',
          change: { status: 'withdrawn', levers: { mending: 0.07 } },
        },
      ],
    },
    {
      name: 'giving_back',
      title: 'Giving it back',
      prompt: 'The attack is weaker. Those who hold the powers say that it may come again.',
      opens: (world) =>
        isInForce(world) && world.facts.lifted !== 1 && world.tick >= (world.facts.since ?? 0) + 6,
      within: 4,
      otherwise: 'let_it_run',
      choices: [
        {
          name: 'lift_now',
          label: 'End it now',
          meaning: 'Powers are given back, whether the attack is over or not.',
          change: (_, world) => ({ ...lifted(world), told: 'The protocol is lifted.' }),
        },
        {
          name: 'let_it_run',
          label: 'Let it run',
          meaning: 'Up to its sunset, if it has one.',
          change: {},
        },
        {
          name: 'make_permanent',
          label: 'Keep it',
          meaning: 'It worked. Why give it up?',
          change: (_, { facts }) =>
            facts.lifted === 1
              ? { told: 'It has lapsed already.' }
              : { facts: { sunset: 0 }, told: 'The protocol stays in force.' },
        },
      ],
    },
  ],
  events: [
    {
      name: 'sunset',
      when: (world) =>
        isInForce(world) &&
        world.facts.lifted !== 1 &&
        (world.facts.sunset ?? 0) > 0 &&
        world.tick >= (world.facts.since ?? 0) + world.facts.sunset!,
      change: (world) => ({ ...lifted(world), told: 'The sunset: the protocol lapses by itself.' }),
    },
    {
      name: 'attack_ends',
      when: (world) => isInForce(world) && (world.facts.lifted ?? 0) === 0 && world.tick >= spentAt(world),
      change: {
        levers: { strain_rate: 0 },
        facts: { spent: 1 },
        told: 'The way in is closed. The attack is spent.',
      },
    },
  ],
  outcomes: { adopted: inForce, adopted_with_dissent: inForce, imposed: inForce },
  endings: [
    {
      name: 'broken',
      title: 'Too late',
      text: 'The integrity index has fallen below 0.8. What is attested now is believed by nobody, with or without a protocol.',
      isReached: ({ economy }) => economy.mii < BROKEN,
    },
    {
      name: 'returned',
      title: 'Lifted too early',
      text: 'The powers were given back while the way in was still open. The attack came back, to an assembly that had spent its courage.',
      isReached: ({ facts }) => facts.lifted === 1 && facts.spent !== 1,
    },
    {
      name: 'given_back',
      title: 'Used, and given back',
      text: 'The attack is over and so is the protocol. There is a precedent now, and it has an end in it.',
      isReached: ({ facts }) => facts.lifted === 1,
    },
    {
      name: 'permanent',
      title: 'The exception stays',
      text: 'The attack is over. The protocol is not. It will be invoked more easily the next time, since there will be no next time: it is in force.',
      isReached: isInForce,
    },
    {
      name: 'endured',
      title: 'Endured without it',
      text: 'The assembly did without the protocol, and the integrity index has held above 0.8. It was a near thing, and no rule was bent.',
      isReached: () => true,
    },
  ],
};

/** In force, the protocol limits the attack. The full protocol also stops minting. */
function inForce({ tick, facts }: World) {
  const narrow = facts.narrow === 1;
  return {
    levers: { strain_rate: narrow ? 0.005 : 0.002, mending: 0.1, mint_share: narrow ? 1 : 0 },
    facts: { since: tick },
  };
}

function lifted({ facts }: World) {
  return {
    levers: { mint_share: 1, strain_rate: facts.spent === 1 ? 0 : 0.009, mending: 0.06 },
    facts: { lifted: 1 },
  };
}

/** The tick at which the attack is exhausted. The narrow protocol takes longer. */
function spentAt({ facts }: World): number {
  return (facts.since ?? 0) + (facts.narrow === 1 ? 11 : 8);
}
