import { createHash } from 'node:crypto';
import { keyNameOf } from '../artifacts/documents/organisation.ts';
import { type Documents, readDocuments } from '../artifacts/documents.ts';
import { readCompanions } from '../artifacts/read-companions.ts';
import type { Companions } from '../attestation/companions.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import type { LedgerDirectory } from '../ledger/reading/directory.ts';
import type { Published } from '../release/format/release.ts';
import type { BuildPlan } from './plan.ts';
import { openPublisher, type Publisher } from './publisher.ts';
import { programKey } from './site/make-program.ts';
import type { SiteOptions } from './site/render-site.ts';

export interface InputOptions extends Omit<SiteOptions, 'printing'> {
  out: string;
  /** Folder of the written documents. */
  documents: string;
  /** JSON file with the companions that may attest, and with the wallets of ledger ids. Null: nobody may, except in a demo ledger. */
  companions: string | null;
  /** Each checkpoint must be signed by one of these keys. */
  verifiers: Verifier[];
  /** Name and version of this software. A new version makes a new release. */
  software: string;
  plan: BuildPlan;
  /** How long to wait for another run, in ms. */
  waitMs: number;
}

/** The inputs of a release other than the ledger, and its publisher. */
export interface Inputs {
  documents: Documents;
  companions: Companions;
  publisher: Publisher | null;
  /** Digest of what the pages are compiled from; null without pages. */
  program: string | null;
  /** Digest of all inputs that affect the files. */
  digest: string;
}

export async function openInputs(
  options: InputOptions,
  ledger: LedgerDirectory,
  previous: Published | null,
): Promise<Inputs> {
  const documents = await readDocuments(options.documents);
  const companions = await readCompanions(options.companions, options.verifiers);
  const publisher = await openPublisher(options.plan.publisher, {
    ...options,
    ledger,
    rebuild: options.plan.from === 'genesis',
    previous,
    keyName: keyNameOf(documents.organisation, options.baseUrl),
  });
  const program = options.plan.contents.upTo === 'pages' ? programKey() : null;
  const digest = digestInputs(options, { documents, companions, publisher, program });
  return { documents, companions, publisher, program, digest };
}

/** Digest of everything except the ledger that affects the files. */
function digestInputs(
  { software, baseUrl, sourceCode }: InputOptions,
  {
    documents,
    companions,
    publisher,
    program,
  }: Pick<Inputs, 'documents' | 'companions' | 'publisher' | 'program'>,
): string {
  // What is not set is no part of the digest: a version with a new setting makes no other digest.
  const set: unknown[] = [];
  if (sourceCode) set.push({ sourceCode });
  if (publisher) set.push(publisher.keys);
  if (publisher?.accessLogKeys.length) set.push(publisher.accessLogKeys);
  return createHash('sha256')
    .update(JSON.stringify([software, program, documents.digest, companions, baseUrl, ...set]))
    .digest('hex');
}
