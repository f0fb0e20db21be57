import type { EventOf, KnownEvent, KnownType } from '../../pipeline/ledger/events/event.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';

/** A sample of sixteen months, generated once for all tests of a process. */
export const EVENTS = [...sampleEvents({ to: '2026-11-21', seed: 1 })].flatMap(
  ({ events }) => events,
) as KnownEvent[];

export function ofType<T extends KnownType>(type: T): EventOf<T>[] {
  return EVENTS.filter((event) => event.type === type) as EventOf<T>[];
}
