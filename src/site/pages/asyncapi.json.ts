import { asyncApiDocument } from '../../simulation/protocol/async-api-document.ts';
import { openRelease } from '../components/release.ts';

/** The AsyncAPI description of the simulation’s messages. */
export function GET(): Response {
  const { baseUrl, contact, version } = openRelease();
  return new Response(`${JSON.stringify(asyncApiDocument({ baseUrl, version, contact }), null, 2)}\n`);
}
