import { formatSecurityTxt } from '../../../api/well-known.ts';
import { openRelease } from '../../components/release.ts';

export function GET(): Response {
  const { baseUrl, contact, draft } = openRelease();
  return new Response(formatSecurityTxt({ baseUrl, contact, asOf: draft.timestamp }));
}
