import { CathedralError } from '../../pipeline/errors.ts';
import { cycleOf } from '../../pipeline/ledger/events/slot.ts';
import type { ExportParsers } from '../../pipeline/verify/audit/audit-export.ts';
import { Problem } from '../api/problem.ts';
import { type Filter, matches, parseFilter } from '../api/query/filter.ts';
import { firstOf, lastOf, Moment } from '../api/query/period.ts';

/** The parsers of the server, so that the same text means the same. */
export const SERVER_PARSERS: ExportParsers = {
  from: (text) => firstOf(momentOf('--from', text)),
  to: (text) => lastOf(momentOf('--to', text)),
  filter(text) {
    const filter = filterOf(text);
    return ({ type, agent, timestamp }, attestation_hash) =>
      matches(filter, { event_type: type, agent, cycle: cycleOf(timestamp), attestation_hash });
  },
};

function momentOf(place: string, text: string): string {
  const { error } = Moment.safeParse(text);
  if (!error) return text;
  const expected = error.issues[0]!.message;
  throw new CathedralError('usage', { place, expected, found: JSON.stringify(text) });
}

function filterOf(text: string): Filter {
  try {
    return parseFilter(text);
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    const expected = 'what the export accepts';
    throw new CathedralError('usage', { place: '--filter', expected, found: cause.message, cause });
  }
}
