import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Organisation } from '../pipeline/artifacts/documents/organisation.ts';

/** The organisation of the demo, whose documents most tests publish. */
export const ORGANISATION = Organisation.parse(
  JSON.parse(readFileSync(new URL('../data/documents/organisation.json', import.meta.url), 'utf8')),
);

/** An invented organisation, for a test with a ledger of its own. */
export const NORTHBY: Organisation = {
  name: 'Council of Northby',
  contact: 'data@northby.example',
  licence: {
    id: 'OGL-UK-3.0',
    title: 'Open Government Licence v3.0',
    url: 'https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/',
  },
};

/** The documents of a ledger of one’s own, beside it, as `ledger init` writes them. */
export function writeOrganisation(ledger: string, organisation = NORTHBY): void {
  mkdirSync(`${ledger}.documents`, { recursive: true });
  writeFileSync(`${ledger}.documents/organisation.json`, `${JSON.stringify(organisation)}\n`);
}
