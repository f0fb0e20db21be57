import type { APIRoute } from 'astro';
import { fileMarkdown } from '../../../components/files/file-markdown.ts';
import { filePageAt } from '../../../components/files/file-page.ts';
import { openRelease } from '../../../components/release.ts';

/** The page of each file as Markdown. */
export const GET: APIRoute = ({ params }) => {
  const release = openRelease();
  return new Response(fileMarkdown(filePageAt(release, params.path!), release.baseUrl));
};
