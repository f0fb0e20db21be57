import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../config/project.ts';
import { besideLedger } from '../../ledger/reading/ledger-verifiers.ts';

/** The documents of the demo, which this software contains. */
export const DEMO_DOCUMENTS = join(PROJECT, 'data/documents');

/** Where the documents of a ledger belong: in the folder that a setting names, or in `ledger.documents` beside the folder `ledger`, as its keys. */
export function ownFolder(given: string | null, ledger: string): string {
  return given ?? besideLedger(ledger, '.documents');
}

/** The folder to read: the organisation's own, or the demo's if no setting names one and the ledger has none beside it. */
export function documentsFolder(given: string | null, ledger: string | null): string {
  const own = ledger === null ? given : ownFolder(given, ledger);
  return own !== null && (own === given || existsSync(own)) ? own : DEMO_DOCUMENTS;
}
