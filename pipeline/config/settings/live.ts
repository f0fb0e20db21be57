import { numbers, origin, settings, text } from '../setting.ts';

/** `https://class.example.org`, as browsers write it in `Origin`: lower case, no path. */
const webOrigins = text
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine((list) => list.length <= 100 && list.every((item) => origin.safeParse(item).success));

export const LIVE = settings('Live data and simulation', {
  simulationOrigins: {
    unit: 'web origins, separated by commas: https://class.example.org,https://example.net:8443',
    description:
      'Sites other than the service itself whose pages may connect to the simulation. Their visitors count towards the same limits.',
    schema: webOrigins,
  },
  simulationStartsPerClient: {
    default: '2000',
    ...numbers('a whole number', 0, 1_000_000),
    description:
      'Simulations that one address or IPv6 /64 may start a day, counted apart from its requests: forty people in two lessons, with 25 starts each. The holder of a key has at least the quota of its tier.',
  },
});
