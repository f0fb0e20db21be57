import { COUNT, integer, type Setting, text } from '../setting.ts';

/** `https://class.example.org`, as browsers write it in `Origin`: lower case, no path. */
const webOrigins = text
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine((list) => list.length <= 100 && list.every((item) => URL.parse(item)?.origin === item));

export const LIVE = {
  livePoll: {
    group: 'Live data and simulation',
    flag: 'live-poll',
    env: 'CATHEDRAL_LIVE_POLL',
    default: '1000',
    unit: 'milliseconds, 50 to 60000',
    description:
      'How often the server looks for new events where the operating system does not report changes, as on network disks.',
    schema: integer(50, 60_000),
  },
  liveGap: {
    group: 'Live data and simulation',
    flag: 'live-gap',
    env: 'CATHEDRAL_LIVE_GAP',
    default: '250',
    unit: 'milliseconds, 0 to 60000',
    description:
      'Minimum time between two messages of `/live`. Nobody can read values that change more often than four times a second.',
    schema: integer(0, 60_000),
  },
  liveListeners: {
    group: 'Live data and simulation',
    flag: 'live-listeners',
    env: 'CATHEDRAL_LIVE_LISTENERS',
    default: '5000',
    description: 'Concurrent listeners of `/live`. Further ones get 503. Each costs about twenty kB.',
    ...COUNT,
  },
  liveListenersPerClient: {
    group: 'Live data and simulation',
    flag: 'live-listeners-per-client',
    env: 'CATHEDRAL_LIVE_LISTENERS_PER_CLIENT',
    default: '50',
    description:
      'Concurrent listeners of `/live` from one address or IPv6 /64: enough for an office behind one address, too few to take all of them.',
    ...COUNT,
  },
  simulationOrigins: {
    group: 'Live data and simulation',
    flag: 'simulation-origins',
    env: 'CATHEDRAL_SIMULATION_ORIGINS',
    default: null,
    unit: 'web origins, separated by commas: https://class.example.org,https://example.net:8443',
    description:
      'Sites other than the service itself whose pages may connect to the simulation. Their visitors count towards the same limits.',
    schema: webOrigins,
  },
  simulationConnections: {
    group: 'Live data and simulation',
    flag: 'simulation-connections',
    env: 'CATHEDRAL_SIMULATION_CONNECTIONS',
    default: '2000',
    description:
      'Concurrent connections to the simulation. Further ones get 503. Each costs about a hundred kB.',
    ...COUNT,
  },
  simulationConnectionsPerClient: {
    group: 'Live data and simulation',
    flag: 'simulation-connections-per-client',
    env: 'CATHEDRAL_SIMULATION_CONNECTIONS_PER_CLIENT',
    default: '60',
    description:
      'Concurrent connections to the simulation from one address or IPv6 /64: a class of forty behind one address, with some to spare for those who reconnect.',
    ...COUNT,
  },
  simulationStartsPerClient: {
    group: 'Live data and simulation',
    flag: 'simulation-starts-per-client',
    env: 'CATHEDRAL_SIMULATION_STARTS_PER_CLIENT',
    default: '2000',
    description:
      'Simulations that one address or IPv6 /64 may start a day, counted apart from its requests: forty people in two lessons, with 25 starts each. The holder of a key has at least the quota of its tier.',
    ...COUNT,
  },
} as const satisfies Record<string, Setting>;
