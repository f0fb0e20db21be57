import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { documentsFolder, ownFolder } from '../../pipeline/artifacts/documents/folder.ts';
import {
  DEFAULT_LICENCE,
  ORGANISATION_FILE,
  Organisation,
} from '../../pipeline/artifacts/documents/organisation.ts';
import { assertOwnDocuments } from '../../pipeline/artifacts/documents/placeholders.ts';
import { type Flag, text } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { asDiskErrors, makeFolder, replaceFile } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';

const { name, contact, homepage } = Organisation.shape;

/** Each is one member of organisation.json. */
function member(flag: string, schema: typeof name | typeof contact | typeof homepage, words: Words) {
  const parse = text.refine((value) => schema.safeParse(value).success);
  return { flag, default: null, schema: parse, ...words } satisfies Flag;
}

type Words = Pick<Flag, 'unit' | 'description'>;

/** The flags of the commands that write organisation.json. */
export const ORGANISATION_FLAGS = {
  organisationName: member('organisation-name', name, {
    unit: 'one line, at most 200 characters',
    description:
      'Who publishes: everything published bears this name. With --organisation-contact it is written to organisation.json among the documents of the ledger, unless that exists.',
  }),
  organisationContact: member('organisation-contact', contact, {
    unit: 'an e-mail address',
    description: 'Where readers ask for keys and report errors.',
  }),
  organisationHomepage: member('organisation-homepage', homepage, {
    unit: 'http(s)://…',
    description: 'The organisation’s own page. Without it, the address of the service stands for it.',
  }),
};

type Given = Record<keyof typeof ORGANISATION_FLAGS, string | null>;

/** For `check` of a command with these flags. */
export function assertWhole({
  organisationName,
  organisationContact,
  organisationHomepage,
}: Given): CathedralError[] {
  const given = organisationName ?? organisationContact ?? organisationHomepage;
  if (given === null || (organisationName !== null && organisationContact !== null)) return [];
  const place = '--organisation-name';
  const expected = 'both --organisation-name and --organisation-contact';
  return [new CathedralError('config_invalid', { place, expected, found: 'one of them' })];
}

/**
 * Writes organisation.json of a ledger that has none, from flags or, on a terminal, from answers; it never replaces one. Returns its path,
 * null if nothing was written.
 */
export async function provideOrganisation(
  { documents, ...given }: Given & Pick<Config, 'documents'>,
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
async function ask(path: string): Promise<Given | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Record<string, string | null> = {};
  try {
    process.stderr.write(`Who publishes this ledger? The answers are kept in ${path}.\n`);
    for (const [question, { schema, unit, flag }] of Object.entries(ORGANISATION_FLAGS)) {
      for (;;) {
        const answer = (await terminal.question(`${flag.replace('organisation-', '')} (${unit}): `)).trim();
        answers[question] = answer === '' ? null : answer;
        if (answer === '' ? question === 'organisationHomepage' : schema.safeParse(answer).success) break;
        process.stderr.write(`expected ${unit}\n`);
      }
    }
    return answers as Given;
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
