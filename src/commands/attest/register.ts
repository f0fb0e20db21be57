import { attestationUuid } from '../../../pipeline/attestation/canonical-bytes.ts';
import { parseAttestation } from '../../../pipeline/attestation/parse-attestation.ts';
import { registrationOf } from '../../../pipeline/attestation/registration.ts';
import { type Verdict, verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';
import { text } from '../../../pipeline/config/setting.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { MAX_LINE_BYTES } from '../../../pipeline/ledger/events/event.ts';
import { registryOfState } from '../../../pipeline/model/companions.ts';
import { writableLedger } from '../../../pipeline/sources/own-ledger.ts';
import { defineCommand, formatJson, json, SWITCH } from '../command.ts';
import { agent, appendCompanionEvent, dryRun, timeFlag } from './append-event.ts';
import { readInput, STANDARD_INPUT } from './input.ts';
import { trustedCompanions } from './verify.ts';

/** What an event has beside the document, at most. */
const ENVELOPE_BYTES = 4096;

export const attestRegister = defineCommand({
  summary:
    'Registers an attestation by appending an event to a ledger in a folder, if the document verifies.',
  details:
    'It verifies the document as `attest verify` does with this ledger, and refuses one that is invalid, expired, revoked or registered already, and a renewal that the ledger would not accept. Everything in the event follows from the document. Until it is registered, a valid attestation is one that its companion could replace at any time.',
  examples: ['cathedral attest register signed.json --companions companions.json --ledger /srv/ledger'],
  settings: ['companions', 'ledger', 'ledgerKey'],
  required: { companions: 'unless --ledger is a demo ledger' },
  positionals: ['file'],
  flags: {
    file: {
      flag: 'file',
      default: STANDARD_INPUT,
      unit: 'a file, or - for standard input',
      description: 'The signed document to register.',
      schema: text,
    },
    agent: { ...agent, default: null, description: `${agent.description} Without it, the companion.` },
    registeredAt: timeFlag('registered-at', 'the registration'),
    withoutDocument: {
      flag: 'without-document',
      description:
        'Leaves the document itself out of the event, for example because its justification is not for every reader of the ledger. Verifiers do not need it.',
      ...SWITCH,
    },
    dryRun,
    json,
  },
  async run(config, { now, print, progress }) {
    const { file, dryRun, registeredAt: at } = config;
    const local = await writableLedger(config);
    const input = await readInput(file);
    const { companions } = await trustedCompanions(config.companions, local, progress);
    const clock = now();
    const notes: string[] = [];
    const { event } = await appendCompanionEvent<'companion_attested'>(
      {
        command: 'attest register',
        local,
        agent: '',
        now: clock,
        at,
        atFlag: '--registered-at',
        dryRun,
      },
      ({ state }) => {
        const verdict = verifyAttestation(input, {
          companions,
          registry: registryOfState(state),
          now: Math.max(clock, at ?? clock),
        });
        assertRegistrable(verdict, file);
        notes.push(...notesOf(verdict));
        const parsed = parseAttestation(input);
        if ('problems' in parsed) throw new Error('a valid document can be parsed');
        const { document, attestation } = parsed;
        const bytes = Buffer.byteLength(JSON.stringify(document));
        const fits = bytes + ENVELOPE_BYTES + JSON.stringify(attestation.scope).length <= MAX_LINE_BYTES;
        if (!fits && !config.withoutDocument)
          notes.push('The document is too long for a line of the ledger, so the event does not contain it.');
        const kept = fits && !config.withoutDocument ? document : null;
        return {
          type: 'companion_attested',
          agent: config.agent ?? attestation.attested_by,
          data: registrationOf(verdict.id!, attestation, kept),
        };
      },
    );
    for (const note of notes) progress.note(note);
    const { attestation, expires_at } = event.data;
    if (config.json) print(formatJson(event));
    else
      print(
        `${attestation} (${attestationUuid(attestation)}) ${dryRun ? 'would be' : 'is'} registered as of ${event.timestamp}, until ${expires_at}: event ${event.seq}.`,
      );
    return 0;
  },
});

/** Throws attestation_refused unless it is valid and not in the ledger yet. */
function assertRegistrable({ valid, problems, checks }: Verdict, place: string): void {
  const refused = (expected: string, found: string) =>
    new CathedralError('attestation_refused', { place, expected, found });
  if (!valid) {
    const list = problems.map(({ code, pointer, message }) => `${pointer || '/'}: ${message} (${code})`);
    throw refused('an attestation that verifies', list.join(' '));
  }
  const { result, detail } = checks.find(({ name }) => name === 'registration')!;
  if (result === 'passed')
    throw refused('an attestation that is not registered yet', `one that is: ${detail}`);
}

/** What a verifier would warn of, except that it is not registered. */
function notesOf({ warnings, checks }: Verdict): string[] {
  const unchecked = checks.filter(({ result }) => result === 'not_checked');
  return [
    ...warnings
      .filter(({ code }) => code !== 'not_registered')
      .map(({ code, pointer, message }) => `${pointer || '/'}: ${message} (${code})`),
    ...unchecked.map(({ name, detail }) => `Not checked: ${name}. ${detail}`),
  ];
}
