import { formatSecurityTxt } from '../../../api/openapi/security-txt.ts';
import { openRelease } from '../../components/release.ts';

export function GET(): Response {
  const { baseUrl, contact, draft } = openRelease();
  return new Response(formatSecurityTxt({ baseUrl, contact, asOf: draft.timestamp }));
}
