import { makeButton } from './make-element.ts';

/** What `read` makes of a file of this host. The error names the file: it may be missing, break off, or be a page that says something else. */
export async function loadFile<T>(
  address: string,
  read: (response: Response) => Promise<T>,
  init: RequestInit = {},
): Promise<T> {
  const response = await fetch(address, init).catch(() => null);
  if (!response?.ok)
    throw new Error(`${address} cannot be loaded${response ? ` (status ${response.status})` : ''}`);
  return read(response).catch((cause: Error) => {
    throw new Error(`${address} cannot be read (${cause.message})`, { cause });
  });
}

/** Says in a place which file cannot be loaded and what is there meanwhile, and offers to try again. */
export function offerAgain(place: HTMLElement, error: unknown, meanwhile: string, again: () => void): void {
  const { message } = error as Error;
  place.hidden = false;
  place.replaceChildren(`${message}. ${meanwhile} `, makeButton('Try again', again));
}
