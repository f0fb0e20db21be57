import type { PlantedFault } from './planted-fault.ts';

const MESSAGES = ['test/contract/simulation.test.ts'];
const BY_HAND = ['test/contract/simulation-by-hand.test.ts'];
const SOCKET = ['test/contract/simulation-socket.test.ts'];

/** The simulation: its engine, its sentences, its messages and its WebSocket. */
export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'an offline sentinel follows the others',
    breaks: 'docs/simulation.md: offline sentinels keep their opinion',
    file: 'src/simulation/opinions.ts',
    change: ['if (!sentinel.isOnline) continue;\n    const own', 'const own'],
    tests: BY_HAND,
  },
  {
    name: 'a vote with exactly the quorum fails',
    breaks: 'docs/simulation.md: the quorum is the least share that must take a position',
    file: 'src/simulation/deliberation.ts',
    change: ['if (turnout < levers.quorum)', 'if (turnout <= levers.quorum)'],
    tests: MESSAGES,
  },
  {
    name: 'minting starts a little below the threshold',
    breaks: 'docs/simulation.md: MIC is minted from the threshold on',
    file: 'src/simulation/economy.ts',
    change: ['const isMinting = mii >= threshold &&', 'const isMinting = mii >= threshold - 0.002 &&'],
    tests: BY_HAND,
  },
  {
    name: 'what is locked is not taken from what circulates',
    breaks: 'The supply is what circulates, is locked and was burned, to the last millionth',
    file: 'src/simulation/economy.ts',
    change: ['from.circulating + minted - lock + free', 'from.circulating + minted + free'],
    tests: BY_HAND,
  },
  {
    name: 'an ending says the day of the decision instead of the day of the leak',
    breaks: 'Every sentence of an ending is true of the run',
    file: 'src/simulation/scenarios/moral-dilemma.ts',
    change: ['facts.known}, when', 'facts.decided ?? facts.known}, when'],
    tests: MESSAGES,
  },
  {
    name: 'an ending says that the attack is over while it goes on',
    breaks: 'Every sentence of an ending is true of the run',
    file: 'src/simulation/scenarios/emergency-protocol-activation.ts',
    change: [
      "facts.spent === 1 ? 'The attack is over' : 'The attack goes on'",
      "facts.asked === 1 ? 'The attack is over' : 'The attack goes on'",
    ],
    tests: MESSAGES,
  },
  {
    name: 'a party that loses is said to gain',
    breaks: 'Every sentence of an ending is true of the run',
    file: 'src/simulation/scenarios/conflicting-incentives.ts',
    change: ['unchanged.multipliers) > 0,', 'unchanged.multipliers) < 0,'],
    tests: MESSAGES,
  },
  {
    name: 'chance depends on the tick alone',
    breaks: 'The same scenario, seed, settings and actions give the same run, and another seed another one',
    file: 'src/simulation/advance.ts',
    change: ['chanceOf(seed, world.tick + 1)', 'chanceOf(0, world.tick + 1)'],
    tests: MESSAGES,
  },
  {
    name: 'a default is taken a tick late',
    breaks: 'docs/simulation-protocol.md: the default is taken at the beginning of the tick `until`',
    file: 'src/simulation/decisions.ts',
    change: ['if (world.tick < until ||', 'if (world.tick <= until ||'],
    tests: MESSAGES,
  },
  {
    name: 'a step of several ticks tells of its last one alone',
    breaks: 'docs/simulation-protocol.md: happened has the events of all ticks since the update before',
    file: 'src/simulation/protocol/session.ts',
    change: ['since: run.world.tick + 1 });', 'since: null });'],
    tests: SOCKET,
  },
  {
    name: 'a message that cannot be read is answered before those that wait',
    breaks: 'docs/simulation-protocol.md: messages are answered in the order in which they were sent',
    file: 'src/sidecar/simulation/connection.ts',
    change: [
      'answered = answered.then(() => answerInTurn(message));',
      "if ('fault' in message) tell(message.fault);\n    else answered = answered.then(() => answerInTurn(message));",
    ],
    tests: SOCKET,
  },
  {
    name: 'a network has a connection more than the limit',
    breaks: 'docs/simulation-protocol.md: 60 connections from one network',
    file: 'src/sidecar/limits/concurrency-limit.ts',
    change: ['if (own >= perHolder)', 'if (own > perHolder)'],
    tests: SOCKET,
  },
  {
    name: 'the place of a connection that ended is not free again',
    breaks: 'docs/simulation-protocol.md: the limit is of open connections',
    file: 'src/sidecar/limits/concurrency-limit.ts',
    change: ['this.#byHolder.get(holder)! - 1;', 'this.#byHolder.get(holder)!;'],
    tests: SOCKET,
  },
  {
    name: 'pages of every site may connect',
    breaks: 'docs/simulation-protocol.md: pages of other sites may connect only if their origin is listed',
    file: 'src/sidecar/simulation/open-simulation.ts',
    change: [
      'if (!isAllowedOrigin(request, options))',
      'if (!isAllowedOrigin(request, options) && request.headers.origin === request.headers.host)',
    ],
    tests: SOCKET,
  },
  {
    name: 'a refused start is counted',
    breaks: 'docs/simulation-protocol.md: a refused start costs nothing',
    file: 'src/sidecar/simulation/connection.ts',
    change: [
      'const next = worked(',
      "if (message.action === 'start_simulation') void context.countStart().catch(() => undefined);\n      const next = worked(",
    ],
    tests: SOCKET,
  },
];
