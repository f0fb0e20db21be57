import { openRelease } from '../../components/release.ts';
import { formatSecurityTxt } from '../../sidecar/openapi/security-txt.ts';

export function GET(): Response {
  const { baseUrl, contact, draft } = openRelease();
  return new Response(formatSecurityTxt({ baseUrl, contact, asOf: draft.timestamp }));
}
