/** Lets the browser draw and answer its reader between two pieces of work, which together would hold up a slow phone. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
