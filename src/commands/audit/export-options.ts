import type { Config } from '../../../pipeline/config/settings.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/event.ts';
import type { ExportHead } from '../../../pipeline/verify/audit/read-export.ts';
import type { ExportOptions } from '../../../pipeline/verify/audit/verify-export.ts';
import { Problem } from '../../api/problem.ts';
import { parseFrom, parseTo } from '../../api/query/export-query.ts';
import { parseFilter, takes } from '../../api/query/filter.ts';

type Asked = Pick<Config, 'exportFrom' | 'exportTo' | 'exportFilter'>;

/** What an export is of: what was said with the command, else what the file says of itself. Throws usage. */
export function exportOptions(head: ExportHead | null, asked: Asked): ExportOptions {
  const from = asked.exportFrom ?? (head ? head.from : undefined);
  const to = asked.exportTo ?? head?.to;
  const filter = asked.exportFilter ?? head?.filter;
  return {
    from: from == null ? from : read('--from', from, parseFrom),
    to: to == null ? undefined : read('--to', to, parseTo),
    wanted: filter == null ? null : wantedBy(read('--filter', filter, parseFilter)),
  };
}

function wantedBy(filter: ReturnType<typeof parseFilter>): NonNullable<ExportOptions['wanted']> {
  return (event, attestation_hash) => takes(filter, fieldsOf(event, attestation_hash));
}

function fieldsOf({ type, agent, cycle }: LedgerEvent, attestation_hash: string) {
  return { event_type: type, agent, cycle, attestation_hash };
}

/** As the service reads them, so that the same words mean the same. */
function read<T>(place: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    throw new CathedralError('usage', {
      place,
      expected: 'what the export takes',
      found: cause.message,
      cause,
    });
  }
}
