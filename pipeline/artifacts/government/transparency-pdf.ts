import { yearText } from '../../model/period.ts';
import type { PrintedArtifact } from '../artifact.ts';

export const transparencyPdf: PrintedArtifact = {
  kind: 'printed',
  path: 'government/transparency.pdf',
  area: 'government',
  title: 'Transparency report',
  description:
    'The report of the year so far, printed from its page; a closed year’s report stands at transparency-<year>.pdf and never changes.',
  mediaType: 'application/pdf',
  restricted: false,
  refresh: 'release',
  page: '/government/transparency/',
  closedPage: (year) => `/government/transparency/${yearText(year)}/`,
  closedPath: (year) => `government/transparency-${yearText(year)}.pdf`,
};
