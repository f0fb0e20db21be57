import { TITLE } from './facts.ts';

export const CFF_PATH = 'CITATION.cff';

/** The day of this version’s release, as the changelog has it. The site’s texts are of this day. */
export const RELEASED = '2026-11-22';

const ABSTRACT =
  'Publishes an append-only ledger as verified open data: JSON, CSV, BibTeX and PDF files, and a site that shows them.';

/**
 * The citation of the software (Citation File Format 1.2.0), which the repository has as `CITATION.cff`, too.
 *
 * @param software as a release names it: `cathedral-data-service 1.0.0+1f2e3d4c5b6a`
 */
export function formatCff(software: string): string {
  const [, version] = / (\d+\.\d+\.\d+[\w.-]*)/.exec(software) ?? [];
  const [, commit] = /\+([0-9a-f]{7,64})$/.exec(software) ?? [];
  return `${[
    'cff-version: 1.2.0',
    'message: To cite the software, use this entry. To cite data, use the citation on the page of the file.',
    'type: software',
    `title: ${TITLE}`,
    `abstract: ${JSON.stringify(ABSTRACT)}`,
    'authors:',
    '  - name: Cathedral Data Service contributors',
    ...(version === undefined ? [] : [`version: ${version}`, `date-released: ${JSON.stringify(RELEASED)}`]),
    ...(commit === undefined ? [] : [`commit: ${JSON.stringify(commit)}`]),
    'license: Apache-2.0',
    'keywords:',
    ...['open data', 'transparency log', 'reproducibility'].map((word) => `  - ${word}`),
  ].join('\n')}\n`;
}
