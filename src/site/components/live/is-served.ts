/** A page of the service's own server says which request it answers; asking a static host for what it has not would be an error. */
export async function isServed(): Promise<boolean> {
  try {
    const { ok, headers } = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
    return ok && headers.has('x-request-id');
  } catch {
    return false;
  }
}
