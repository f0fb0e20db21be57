import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../config/project.ts';
import { besideLedger } from '../../ledger/ledger-keys.ts';

/** The documents of the demo, which this software contains. */
export const DEMO_DOCUMENTS = join(PROJECT, 'data/documents');

/**
 * The folder of documents: the one that a setting names, or `ledger.documents` beside the folder `ledger`, where its keys are, or that of
 * the demo.
 */
export function documentsFolder(given: string | null, ledger: string | null): string {
  if (given !== null) return given;
  const beside = ledger === null ? null : besideLedger(ledger, '.documents');
  return beside !== null && existsSync(beside) ? beside : DEMO_DOCUMENTS;
}
