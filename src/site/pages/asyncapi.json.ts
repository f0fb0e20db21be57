import { asyncApiDocument } from '../../simulation/protocol/async-api-document.ts';
import { openRelease } from '../layout/release.ts';

/** The AsyncAPI description of the simulation’s messages. */
export function GET(): Response {
  const { baseUrl, organisation, version } = openRelease();
  return new Response(`${JSON.stringify(asyncApiDocument({ baseUrl, version, organisation }), null, 2)}\n`);
}
