import { existsSync, globSync } from 'node:fs';
import { z } from 'zod';
import {
  publishedKeyOf,
  readCompanions,
  readTrustFile,
  type TrustFile,
} from '../../../pipeline/artifacts/read-companions.ts';
import type { Trust } from '../../../pipeline/attestation/check.ts';
import { printable } from '../../../pipeline/attestation/printable.ts';
import type { Registry } from '../../../pipeline/attestation/registry.ts';
import { type Verdict, verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';
import { type Flag, text } from '../../../pipeline/config/setting.ts';
import { SETTINGS, SOURCE_SETTINGS } from '../../../pipeline/config/settings.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { registryOfState } from '../../../pipeline/model/companions.ts';
import { openLedger } from '../../../pipeline/sources/open-ledger.ts';
import type { LocalLedger } from '../../../pipeline/sources/own-ledger.ts';
import { defineCommand, formatJson, json } from '../command.ts';
import type { Progress } from '../progress.ts';
import { readInput, STANDARD_INPUT } from './input.ts';
import { readLedger } from './ledger.ts';

/** A UTC date-time, ms since 1970. */
export const moment = z.iso.datetime({ offset: false, local: false }).transform((given) => Date.parse(given));

export const asOf = {
  flag: 'as-of',
  default: null,
  unit: 'a UTC date-time: 2025-12-01T06:00:00Z',
  description:
    'Answers as of this time, ignoring later events. Without it, every event counts, and the time is that of the clock or of the newest event, whichever is later.',
  schema: moment,
} as const satisfies Flag;

export const attestVerify = defineCommand({
  summary: 'Verifies Companion Attestations: whether each document may be relied upon, and if not, why.',
  details:
    'It exits with 1 if a document may not be relied upon, and with 2 if one cannot be read. Give --ledger to take revocations and renewals into account. `attest status` prints what the ledger holds about one attestation.',
  examples: [
    'cathedral attest verify --file signed.json --companions companions.json',
    "cathedral attest verify --file 'signed/*.json' --companions companions.json --ledger /srv/ledger --json",
  ],
  isReader: true,
  settings: ['companions', ...SOURCE_SETTINGS],
  optional: {
    ledger:
      'Its revocations and renewals count. Without it, only the document and its signature are verified.',
  },
  required: { companions: 'unless --ledger is a demo ledger' },
  flags: {
    files: {
      flag: 'file',
      default: STANDARD_INPUT,
      unit: 'files or patterns like signed/*.json, separated by commas; - is standard input',
      description: 'The documents to verify. A name that contains commas is taken as one file if it exists.',
      schema: text,
    },
    asOf,
    json,
  },
  async run(config, context) {
    const { ledger: source, asOf, json } = config;
    const { print, progress } = context;
    const files = listFiles(config.files);
    const local = source && (await openLedger(source, { ...config, mustExist: true }, context));
    const trusted = await trustedCompanions(config.companions, local, progress);
    const ledger = local && (await readLedger(local, asOf));
    progress.end();
    const registry = ledger ? registryOfState(ledger.state) : trusted.registry;
    assertNotBefore(registry, asOf);
    const trust = { ...trusted, registry, now: asOf ?? context.now() };
    const verdicts = [];
    for await (const verdict of verifyFiles(files, trust)) {
      verdicts.push(verdict);
      if ('error' in verdict) progress.note(printable(verdict.error));
      else if (!json) print(formatVerdict(verdict));
    }
    if (json) print(formatJson(verdicts));
    if (verdicts.some((verdict) => 'error' in verdict)) return 2;
    return verdicts.every(({ valid }) => valid) ? 0 : 1;
  },
});

/**
 * The files that a list of names and patterns stands for, each once. The name of a file that exists stands for that file, even if
 * it contains commas, brackets or stars. Throws usage for a pattern without a match.
 */
function listFiles(names: string): string[] {
  if (existsSync(names)) return [names];
  const files = names.split(',').flatMap((name) => {
    if (name === STANDARD_INPUT || !/[*?[{]/.test(name) || existsSync(name)) return [name];
    const found = globSync(name).sort();
    if (found.length > 0) return found;
    const fault = { place: '--file', expected: 'a pattern that matches files', found: name };
    throw new CathedralError('usage', fault);
  });
  return [...new Set(files)];
}

/**
 * Whom a verifier trusts. Without a ledger, the file has to say it; if that is the file that a service publishes, it also holds
 * the registry. Throws usage where no companion is known, because then every verdict would be the same.
 */
export async function trustedCompanions(
  path: string | null,
  ledger: LocalLedger | null,
  progress: Pick<Progress, 'note'>,
): Promise<TrustFile> {
  if (!ledger && path === null) throw noCompanions();
  const { companions, registry } = ledger
    ? { companions: await readCompanions(path, ledger.verifiers), registry: null }
    : await readTrustFile(path!);
  if (companions.companions.length === 0) throw noCompanions();
  const published = publishedKeyOf(companions);
  if (published !== null)
    progress.note(
      `The key of ${published} belongs to a demo ledger. Its secret half is public, so its signature proves nothing.`,
    );
  if (registry) progress.note(`The registry is that of ${path}, as of ${registry.asOf}.`);
  return { companions, registry };
}

function noCompanions(): CathedralError {
  const expected = SETTINGS.companions.unit;
  return new CathedralError('usage', { place: '--companions', expected, found: 'no value' });
}

/** Throws config_invalid for a time before that of the registry: later events can only be ignored with a ledger. */
function assertNotBefore(registry: Registry | null, at: number | null): void {
  if (at === null || !registry?.asOf || at >= Date.parse(registry.asOf)) return;
  const expected = `${registry.asOf} or later, which is the time of the companions file, or a --ledger`;
  const found = new Date(at).toISOString();
  throw new CathedralError('config_invalid', { place: '--as-of', expected, found });
}

type FileVerdict = { file: string } & Verdict;

/** A file that could not be read, and why. */
interface Unread {
  file: string;
  valid: false;
  error: string;
}

/** Yields each verdict as soon as it is there. A file that cannot be read does not stop the others. */
async function* verifyFiles(files: readonly string[], trust: Trust): AsyncGenerator<FileVerdict | Unread> {
  for (const file of files) {
    try {
      yield { file, ...verifyAttestation(await readInput(file), trust) };
    } catch (error) {
      if (!(error instanceof CathedralError)) throw error;
      yield { file, valid: false, error: error.message };
    }
  }
}

const MARKS = { passed: 'ok', failed: 'FAILED', warning: 'WARNING', not_checked: '-' } as const;

function formatVerdict(verdict: FileVerdict): string {
  const { file, valid, summary, status, id, uuid, checks, problems } = verdict;
  const lines = [`${file}: ${valid ? 'VALID' : 'NOT VALID'} (${status})`, `  ${summary}`];
  if (id !== null) lines.push(`  id    ${id}`, `  uuid  ${uuid}`);
  for (const { name, result, detail } of checks)
    lines.push(`  ${MARKS[result].padEnd(8)} ${name.padEnd(13)} ${detail}`);
  for (const { code, pointer } of problems)
    lines.push(`  because  ${code} at ${pointer === '' ? 'the whole document' : pointer}`);
  return lines.map(printable).join('\n');
}
