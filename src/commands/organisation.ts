import type { z } from 'zod';
import { ORGANISATION_UNITS, Organisation } from '../../pipeline/artifacts/documents/organisation.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { GivenOrganisation } from '../service/organisation.ts';

/** Each is one member of organisation.json. */
function member(name: keyof typeof ORGANISATION_UNITS, description: string) {
  const schema = Organisation.shape[name] as z.core.$ZodType<string, string>;
  return { unit: ORGANISATION_UNITS[name], description, schema };
}

/** The flags of the commands that write organisation.json. */
export const ORGANISATION_FLAGS = {
  organisationName: member(
    'name',
    'Who publishes: everything published bears this name. With --organisation-contact it is written to organisation.json among the documents of the ledger, unless that exists.',
  ),
  organisationContact: member('contact', 'Where readers ask for keys and report errors.'),
  organisationHomepage: member(
    'homepage',
    'The organisation’s own page. Without it, the address of the service is used.',
  ),
};

/** For `check` of a command with these flags. */
export function assertWhole({
  organisationName,
  organisationContact,
  organisationHomepage,
}: GivenOrganisation): CathedralError[] {
  const given = organisationName ?? organisationContact ?? organisationHomepage;
  if (given === null || (organisationName !== null && organisationContact !== null)) return [];
  const place = '--organisation-name';
  const expected = 'both --organisation-name and --organisation-contact';
  return [new CathedralError('config_invalid', { place, expected, found: 'one of them' })];
}
