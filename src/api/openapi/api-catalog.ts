import { PROTOCOL_PAGE } from '../../simulation/protocol/problems.ts';

/** `/.well-known/api-catalog` (RFC 9727), a link set (RFC 9264). `baseUrl` has no slash at its end. */
export function formatApiCatalog(baseUrl: string): string {
  const link = (path: string, type: string) => ({ href: `${baseUrl}${path}`, type });
  const linkset = [
    { anchor: `${baseUrl}/.well-known/api-catalog`, item: [{ href: `${baseUrl}/` }] },
    {
      anchor: `${baseUrl}/`,
      'service-desc': [link('/openapi.json', 'application/json'), link('/asyncapi.json', 'application/json')],
      'service-doc': [link('/api/', 'text/html'), link(PROTOCOL_PAGE, 'text/html')],
      status: [link('/status.json', 'application/json')],
      license: [{ href: 'https://creativecommons.org/licenses/by/4.0/' }],
    },
  ];
  return `${JSON.stringify({ linkset }, null, 2)}\n`;
}
