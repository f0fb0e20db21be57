import { tierOf } from './count.ts';
import { priorityOf } from './limits/load-shedding.ts';
import type { Services } from './services.ts';
import type { Visit } from './visit.ts';

/** Takes a place among the requests that are being answered. Throws a Problem overloaded. */
export function enterGate(visit: Visit, { gate }: Pick<Services, 'gate'>): void {
  const { area } = visit;
  visit.leave = gate.enter(area === null ? 'anonymous' : priorityOf(area, tierOf(area, visit)));
}
