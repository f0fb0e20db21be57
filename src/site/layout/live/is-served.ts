/** Whether this service's server answers: it sends a request id. Requesting a dynamic path from a static host would log an error. */
export async function isServed(): Promise<boolean> {
  try {
    const { ok, headers } = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
    return ok && headers.has('x-request-id');
  } catch {
    return false;
  }
}
