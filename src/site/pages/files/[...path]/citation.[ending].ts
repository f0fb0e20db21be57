import type { APIRoute } from 'astro';
import { CITATION_FORMS } from '../../../../../pipeline/forms/catalogue/citation.ts';
import { filePages } from '../../../components/files/file-page.ts';
import { openRelease } from '../../../components/release.ts';

/** The citation of each file in each format. */
export function getStaticPaths() {
  return filePages(openRelease()).flatMap(({ artifact, citation }) =>
    CITATION_FORMS.map(({ ending, format }) => ({
      params: { path: artifact.path, ending },
      props: { text: format(citation) },
    })),
  );
}

export const GET: APIRoute<{ text: string }> = ({ props }) => new Response(props.text);
