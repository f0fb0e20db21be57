import { CathedralError } from '../../pipeline/errors.ts';
import { cycleOf } from '../../pipeline/ledger/events/slot.ts';
import type { ExportParsers } from '../../pipeline/verify/audit/audit-export.ts';
import { Problem } from '../api/problem.ts';
import { matches, parseFilter } from '../api/query/filter.ts';
import { parseFrom, parseTo } from '../api/query/period.ts';

/** The parsers of the server, so that the same text means the same. */
export const SERVER_PARSERS: ExportParsers = {
  from: (text) => parsed('--from', text, parseFrom),
  to: (text) => parsed('--to', text, parseTo),
  filter(text) {
    const filter = parsed('--filter', text, parseFilter);
    return ({ type, agent, timestamp }, attestation_hash) =>
      matches(filter, { event_type: type, agent, cycle: cycleOf(timestamp), attestation_hash });
  },
};

function parsed<T>(place: string, value: string, parse: (value: string) => T): T {
  try {
    return parse(value);
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    const expected = 'what the export accepts';
    throw new CathedralError('usage', { place, expected, found: cause.message, cause });
  }
}
