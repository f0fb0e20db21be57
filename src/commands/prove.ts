import { z } from 'zod';
import { type LedgerSource, ledgerSource } from '../../pipeline/config/ledger-address.ts';
import { address, type Flag } from '../../pipeline/config/setting.ts';
import { type Config, SETTINGS, SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { formatTlogProof } from '../../pipeline/ledger/log/tlog-proof.ts';
import { assertQuorum, readWitnesses } from '../../pipeline/ledger/notes/witness-quorum.ts';
import { folderSource, type LogSource, originSource } from '../../pipeline/verify/audit/audited-log.ts';
import { proveFromLedger, proveFromLog } from '../../pipeline/verify/audit/prove-event.ts';
import { type Context, defineCommand, formatJson, json } from './command.ts';
import { auditorTrust, httpOrigin, witnessesOf } from './reader.ts';

export const event = {
  flag: 'event',
  default: null,
  unit: 'an attestation_hash: 64 hex digits, with or without 0x',
  description: 'The hash of the event, as in the audited export.',
  required: true,
  schema: z
    .string()
    .regex(/^(0x)?[0-9a-f]{64}$/)
    .transform((hash) => hash.slice(-64)),
} as const satisfies Flag;

export const logUrl = {
  flag: 'url',
  default: null,
  unit: 'http(s)://host[:port][/path]',
  description: 'Reads the log of a service or a mirror at this address, instead of that in --out.',
  schema: address.transform((value) => value.replace(/\/+$/, '')),
} as const satisfies Flag;

export const prove = defineCommand({
  summary: 'Prints a proof that an event is in the log. Anybody can verify it with `verify-proof`.',
  examples: [
    'cathedral prove 0x1f2e… --out /srv/cathedral > event.tlog-proof',
    'cathedral prove 0x1f2e… --url https://data.example.org --ledger-key ledger.vkey --json',
  ],
  isReader: true,
  settings: ['out', 'timeLimit', ...SOURCE_SETTINGS, 'policy'],
  positionals: ['event'],
  flags: {
    event,
    logUrl,
    ledger: {
      flag: 'ledger',
      default: null,
      unit: SETTINGS.ledger.unit,
      description:
        'Proves from the events of a ledger, up to its newest ledger snapshot, instead of from the published log. CATHEDRAL_LEDGER is not read: without the flag, the log of --out or --url is used.',
      path: true,
      schema: ledgerSource,
    },
    json,
  },
  async run(config, context) {
    const { event, ledger } = config;
    const { policy, verifiers } = await auditorTrust(config);
    const source = logSource(config, context);
    const proof = ledger
      ? await fromLedger(ledger, event, config, context)
      : await proveFromLog(source, event, verifiers);
    const place = ledger ? `${ledger}` : `${source.name}/checkpoint`;
    const now = context.now();
    const witnessing = policy && (await readWitnesses(proof.checkpoint, policy, { place, now }));
    if (witnessing) assertQuorum(witnessing, place);
    context.progress.end();
    const text = formatTlogProof(proof);
    const witnesses = witnessing && witnessesOf(witnessing);
    if (config.json)
      context.print(formatJson({ event: `0x${event}`, index: proof.index, proof: text, witnesses }));
    else await context.write(text);
    return 0;
  },
});

async function fromLedger(
  source: LedgerSource,
  event: string,
  config: Pick<Config, (typeof SOURCE_SETTINGS)[number]>,
  context: Context,
) {
  // Every kind of source and its database take far longer to load than a proof from the log takes.
  const { openLedger } = await import('../../pipeline/sources/open-ledger.ts');
  const { ledger, verifiers } = await openLedger(source, { ...config, mustExist: true }, context);
  return proveFromLedger(ledger, event, verifiers);
}

interface LogConfig extends Pick<Config, 'out' | 'timeLimit'> {
  logUrl: string | null;
}

/** The log to read. Its entries, which hold whole events, need the government key. */
export function logSource(
  config: LogConfig,
  { wait, progress }: Context,
  governmentKey: string | null = null,
): LogSource {
  const { out, logUrl: url } = config;
  if (url === null) return folderSource(out);
  const [origin, withKey] = [null, governmentKey].map((apiKey) =>
    httpOrigin(url, config, { apiKey, isStatic: false, wait, log: (line) => progress.note(line) }),
  );
  return originSource(origin!, withKey!);
}
