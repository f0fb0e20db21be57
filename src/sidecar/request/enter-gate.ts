import { priorityOf } from '../limits/load-shedding.ts';
import type { Services } from '../services.ts';
import { tierOf } from './count.ts';
import { hold, type Visit } from './visit.ts';

/** Takes a place among the requests that are being answered. Throws a Problem overloaded. */
export function enterGate(visit: Visit, { gate }: Pick<Services, 'gate'>): void {
  const { area } = visit;
  const place = gate.enter(area === null ? 'anonymous' : priorityOf(area, tierOf(area, visit)));
  visit.made = place.made;
  hold(visit, place.leave);
}
