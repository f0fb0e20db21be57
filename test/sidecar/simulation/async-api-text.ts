import { asyncApiDocument } from '../../../src/simulation/protocol/async-api-document.ts';
import { ORGANISATION } from '../../organisation.ts';

/** `/asyncapi.json` as a service publishes it. */
export function asyncApiText(): string {
  return JSON.stringify(
    asyncApiDocument({ baseUrl: 'https://data.example.org', version: '1.0.0', organisation: ORGANISATION }),
  );
}
