import { z } from 'zod';
import { printable } from '../../../pipeline/attestation/printable.ts';
import { ledgerFolder } from '../../../pipeline/config/ledger-address.ts';
import { integer, text } from '../../../pipeline/config/setting.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { nearType } from '../../../pipeline/ledger/events/draft.ts';
import { isKnownType } from '../../../pipeline/ledger/events/event.ts';
import { dayOfCycle } from '../../../pipeline/ledger/events/slot.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import { type FoundEvent, findEvents } from '../../../pipeline/ledger/reading/find-events.ts';
import { parseFrom, parseTo } from '../../api/query/export-query.ts';
import { defineCommand, json, SWITCH } from '../command.ts';

const MOMENT = 'a date, a date-time such as 2025-12-01T06:00:00Z, or a cycle such as C-151';

/** A moment, as a timestamp that sorts among the ledger's. */
function moment(parse: (given: string) => string) {
  return text.transform((given, context) => {
    try {
      return parse(dayOfCycle(given) ?? given);
    } catch (cause) {
      context.addIssue((cause as Error).message);
      return z.NEVER;
    }
  });
}

const names = text.transform((list) => new Set(list.split(',').map((name) => name.trim())));

/** `17`, `17-25`, `17-` */
const range = z
  .string()
  .regex(/^\d{1,15}(-\d{0,15})?$/)
  .transform((given) => {
    const [from = '', to = from] = given.split('-');
    return { from: Number(from), to: to === '' ? Number.POSITIVE_INFINITY : Number(to) };
  })
  .refine(({ from, to }) => from <= to);

export const ledgerShow = defineCommand({
  summary: 'Prints the events of a ledger in a folder, chosen by number, time, type and agent.',
  details:
    'It prints one line per event: its number, its time, its cycle, the ledger snapshot that contains it or `head` if none does yet, its type, its agent, and its data. It verifies each line, but neither root hashes nor signatures: `ledger check` does.',
  examples: [
    'cathedral ledger show /srv/ledger --reverse --limit 20',
    'cathedral ledger show /srv/ledger --type mic_mint,mic_burn --from C-151 --to 2025-12-31',
    'cathedral ledger show /srv/ledger --seq 4711 --raw',
  ],
  isReader: true,
  settings: ['ledger', 'importFolder'],
  positionals: ['ledger'],
  flags: {
    seq: {
      flag: 'seq',
      default: null,
      unit: 'a number, or a range such as 100-199 or 100-',
      description: 'The numbers of the events. Without it, all.',
      schema: range,
    },
    from: {
      flag: 'from',
      default: null,
      unit: MOMENT,
      description: 'The start of the period; a day and a cycle begin at 00:00 UTC.',
      schema: moment(parseFrom),
    },
    to: {
      flag: 'to',
      default: null,
      unit: MOMENT,
      description: 'The end of the period, included; a day and a cycle end at 24:00 UTC.',
      schema: moment(parseTo),
    },
    types: {
      flag: 'type',
      default: null,
      unit: 'types of events, separated by commas',
      description: 'The types of the events. Without it, all, also unknown ones.',
      schema: names,
    },
    agent: {
      flag: 'agent',
      default: null,
      unit: 'a name',
      description: 'The agent of the events. Without it, all.',
      schema: text,
    },
    limit: {
      flag: 'limit',
      default: null,
      unit: 'a whole number, 1 to 1000000000',
      description: 'Prints at most this many events.',
      schema: integer(1, 1_000_000_000),
    },
    reverse: { flag: 'reverse', description: 'Prints the newest event first.', ...SWITCH },
    raw: {
      flag: 'raw',
      description: 'Prints the lines of the ledger as they are: NDJSON.',
      ...SWITCH,
    },
    json: {
      ...json,
      description: 'Prints one JSON array, with the hash and the ledger snapshot of each event.',
    },
  },
  check: ({ raw, json }) =>
    raw && json
      ? [
          new CathedralError('config_invalid', {
            place: '--raw',
            expected: 'not to be used with --json',
            found: 'both',
          }),
        ]
      : [],
  async run(config, { write, progress }) {
    const { limit, reverse, raw, json, types } = config;
    const found = findEvents(ledgerFolder(config.ledger, config), config, reverse);
    let count = 0;
    for await (const one of found) {
      if (json) await write(`${count === 0 ? '[' : ','}\n${formatJsonEvent(one)}`);
      else await write(raw ? `${one.line}\n` : `${formatEvent(one)}\n`);
      count += 1;
      if (count === limit) break;
    }
    if (json) await write(count === 0 ? '[]\n' : '\n]\n');
    if (count === 0) progress.note(`No event matches.${hintOf(types)}`);
    return 0;
  },
});

/** The type that was probably meant. */
function hintOf(types: ReadonlySet<string> | null): string {
  const unknown = [...(types ?? [])].filter((type) => !isKnownType(type));
  const near = unknown.flatMap((type) => nearType(type) ?? []);
  return near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
}

function formatEvent({ event, snapshot }: FoundEvent): string {
  const { seq, timestamp, cycle, type, agent, data } = event;
  const where = (snapshot ?? 'head').padEnd('2025-12-01T06Z'.length);
  const line = `${`${seq}`.padStart(7)}  ${timestamp}  ${cycle}  ${where}  ${type}  ${agent}  ${JSON.stringify(data)}`;
  return printable(line);
}

function formatJsonEvent({ event, line, snapshot }: FoundEvent): string {
  return JSON.stringify({ ...event, attestation_hash: `0x${leafHash(line)}`, snapshot }, null, 2);
}
