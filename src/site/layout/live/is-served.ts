/**
 * Whether this service's server answers, which knows parameters and live values: it sends a request id, a static host does not. Rejects if
 * the host does not answer.
 */
export async function isServed(path: string): Promise<boolean> {
  const { headers } = await fetch(path, { method: 'HEAD', cache: 'no-store' });
  return headers.has('x-request-id');
}
