import { formatSecurityTxt } from '../../../api/well-known.ts';
import { openRelease } from '../../layout/release.ts';

export function GET(): Response {
  const { baseUrl, organisation, draft } = openRelease();
  const { contact } = organisation;
  return new Response(formatSecurityTxt({ baseUrl, contact, asOf: draft.timestamp }));
}
