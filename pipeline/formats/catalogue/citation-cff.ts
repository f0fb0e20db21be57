import { authorsOf } from '../../artifacts/documents/organisation.ts';
import type { Catalogue } from './catalogue.ts';

export const CFF_PATH = 'CITATION.cff';

/** The day of this version’s release, as the changelog has it. The site’s texts are of this day. */
export const RELEASED = '2026-11-22';

/** The name of the software, of which the repository has a `CITATION.cff` of its own. */
const SOFTWARE = 'Cathedral Data Service';

/** The citation of the data (Citation File Format 1.2.0), with the software as a reference. */
export function formatCff({ baseUrl, title, organisation, asOf, software }: Catalogue): string {
  const { name, contact, licence, doi } = organisation;
  const [, version] = / (\d+\.\d+\.\d+[\w.-]*)/.exec(software) ?? [];
  const [, commit] = /\+([0-9a-f]{7,64})$/.exec(software) ?? [];
  return `${[
    'cff-version: 1.2.0',
    'message: To cite one file, use the citation on its page.',
    'type: dataset',
    `title: ${text(title)}`,
    'authors:',
    ...authorsOf(organisation).map((author) => `  - name: ${text(author)}`),
    'contact:',
    `  - name: ${text(name)}`,
    `    email: ${text(contact)}`,
    `version: ${text(asOf)}`,
    `date-released: ${text(asOf.slice(0, 10))}`,
    ...(doi === undefined ? [] : [`doi: ${text(doi)}`]),
    // Not `license`, which allows no terms without an SPDX identifier.
    `license-url: ${text(licence.url)}`,
    `url: ${text(`${baseUrl}/`)}`,
    'references:',
    '  - type: software',
    `    title: ${SOFTWARE}`,
    '    authors:',
    `      - name: ${SOFTWARE} contributors`,
    ...(version === undefined ? [] : [`    version: ${version}`, `    date-released: ${text(RELEASED)}`]),
    ...(commit === undefined ? [] : [`    commit: ${text(commit)}`]),
    '    license: Apache-2.0',
  ].join('\n')}\n`;
}

/** A text of JSON is one of YAML. */
function text(value: string): string {
  return JSON.stringify(value);
}
