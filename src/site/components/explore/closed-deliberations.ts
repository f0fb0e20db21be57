import { type Deliberation, deliberations } from './deliberations.ts';
import { perRelease } from './per-release.ts';

/** Those that are closed, with the day on which each was; the last closed first. */
export const closedDeliberations = perRelease((release): (Deliberation & { date: string })[] =>
  deliberations(release)
    .flatMap((one) => (one.closed === null ? [] : [{ ...one, date: one.closed.slice(0, 10) }]))
    .sort((one, other) => (one.closed! < other.closed! ? 1 : -Number(one.closed! > other.closed!))),
);
