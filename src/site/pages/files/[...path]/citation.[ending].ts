import type { APIRoute } from 'astro';
import { CITATION_FORMS } from '../../../../../pipeline/formats/catalogue/citation.ts';
import { citationAt } from '../../../files/file-page.ts';
import { openRelease } from '../../../layout/release.ts';

/** The citation of each file in each format. */
export const GET: APIRoute = ({ params }) => {
  const { format } = CITATION_FORMS.find(({ ending }) => ending === params.ending)!;
  return new Response(format(citationAt(openRelease(), params.path!)));
};
