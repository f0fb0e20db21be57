import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { isDemoLedger } from '../../ledger/writing/demo-key.ts';
import { formatList } from '../../words/phrase.ts';
import { readOrganisation } from '../documents.ts';
import { DEMO_DOCUMENTS } from './folder.ts';
import { ORGANISATION_FILE } from './organisation.ts';

/**
 * Refuses to publish a ledger of one’s own with the demo’s name, papers or treaty. Throws placeholders_found with all that is missing, and
 * document_invalid for an organisation.json that cannot be read.
 */
export async function assertOwnDocuments(dir: string, verifiers: readonly Verifier[]): Promise<void> {
  if (isDemoLedger(verifiers)) return;
  const faults = await namesOf(dir);
  const texts = await demoTexts(dir);
  if (texts.length > 0) faults.push(`the demo’s ${formatList(texts)}, to replace or remove`);
  if (faults.length === 0) return;
  throw new CathedralError('placeholders_found', {
    place: dir,
    expected:
      'the publisher’s own (write organisation.json, or give --organisation-name and --organisation-contact to `ledger init` or `start`; see docs/ledger.md), or --allow-placeholders for a trial',
    found: faults.join('; '),
  });
}

/** What is wrong with the names in organisation.json. */
async function namesOf(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((): string[] => []);
  if (!names.includes(ORGANISATION_FILE)) return [`no ${ORGANISATION_FILE}, with name, contact and licence`];
  const [own, demo] = await Promise.all([dir, DEMO_DOCUMENTS].map(readOrganisation));
  return (['name', 'contact'] as const)
    .filter((member) => own![member] === demo![member])
    .map((member) => `the demo’s ${member} in ${ORGANISATION_FILE}`);
}

/** The files of the folder that are the demo’s, byte for byte. */
async function demoTexts(dir: string): Promise<string[]> {
  const entries = await readdir(DEMO_DOCUMENTS, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name !== ORGANISATION_FILE)
    .map((entry) => join(entry.parentPath, entry.name).slice(DEMO_DOCUMENTS.length + 1));
  const same = await Promise.all(
    files.map(async (file) => {
      const own = await readFile(join(dir, file)).catch(() => null);
      return own?.equals(await readFile(join(DEMO_DOCUMENTS, file))) ?? false;
    }),
  );
  return files.filter((_, index) => same[index]).sort();
}
