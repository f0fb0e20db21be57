import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import * as z from 'zod/mini';
import { documentsFolder, ownFolder } from '../../pipeline/artifacts/documents/folder.ts';
import {
  DEFAULT_LICENCE,
  ORGANISATION_FILE,
  ORGANISATION_UNITS,
  Organisation,
} from '../../pipeline/artifacts/documents/organisation.ts';
import { assertOwnDocuments } from '../../pipeline/artifacts/documents/placeholders.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { asDiskErrors, makeFolder, replaceFile } from '../../pipeline/disk/durable.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';

/** Each is one member of organisation.json; null where it was not given. */
export interface GivenOrganisation {
  organisationName: string | null;
  organisationContact: string | null;
  organisationHomepage: string | null;
}

/**
 * Writes organisation.json of a ledger that has none, from flags or, on a terminal, from answers; it never replaces one. Returns its path,
 * null if nothing was written.
 */
export async function provideOrganisation(
  { documents, ...given }: GivenOrganisation & Pick<Config, 'documents'>,
  ledger: string,
): Promise<string | null> {
  const folder = ownFolder(documents, ledger);
  const path = join(folder, ORGANISATION_FILE);
  if (existsSync(path)) return null;
  const answers = given.organisationName === null ? await ask(path) : given;
  if (answers === null) return null;
  const { organisationName, organisationContact, organisationHomepage } = answers;
  const organisation = Organisation.parse({
    name: organisationName,
    ...(organisationHomepage && { homepage: organisationHomepage }),
    contact: organisationContact,
    licence: DEFAULT_LICENCE,
  });
  await asDiskErrors(path, async () => {
    await makeFolder(folder);
    await replaceFile(path, `${JSON.stringify(organisation, null, 2)}\n`);
  });
  return path;
}

/** Null where nobody can answer, or nobody does. */
async function ask(path: string): Promise<GivenOrganisation | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Record<string, string | null> = {};
  try {
    process.stderr.write(`Who publishes this ledger? The answers are kept in ${path}.\n`);
    for (const [member, unit] of Object.entries(ORGANISATION_UNITS)) {
      const schema: z.core.$ZodType = Organisation.shape[member as keyof typeof ORGANISATION_UNITS];
      for (;;) {
        const answer = (await terminal.question(`${member} (${unit}): `)).trim();
        answers[member] = answer === '' ? null : answer;
        const issue = z.safeParse(schema, answer).error?.issues[0];
        if (answer === '' ? member === 'homepage' : !issue) break;
        process.stderr.write(`expected ${issue?.message ?? unit}\n`);
      }
    }
    const { name = null, contact = null, homepage = null } = answers;
    return { organisationName: name, organisationContact: contact, organisationHomepage: homepage };
  } finally {
    terminal.close();
  }
}

/** The documents of a ledger that is about to be published. Throws placeholders_found for those of the demo with another ledger. */
export async function ownDocuments(
  { documents, allowPlaceholders }: Pick<Config, 'documents' | 'allowPlaceholders'>,
  { ledger, verifiers }: { ledger: string; verifiers: readonly Verifier[] },
): Promise<string> {
  if (!allowPlaceholders) await assertOwnDocuments(ownFolder(documents, ledger), verifiers);
  return documentsFolder(documents, ledger);
}
