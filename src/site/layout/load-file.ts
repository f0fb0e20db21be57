import { makeButton } from './make-element.ts';

/** A file of this host, whose address the error names. */
export async function loadFile(address: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(address, init).catch(() => null);
  if (response?.ok) return response;
  throw new Error(`${address} cannot be loaded${response ? ` (status ${response.status})` : ''}`);
}

/** Says in a place which file cannot be loaded and what is there meanwhile, and offers to try again. */
export function offerAgain(place: HTMLElement, error: unknown, meanwhile: string, again: () => void): void {
  const { message } = error as Error;
  place.hidden = false;
  place.replaceChildren(`${message}. ${meanwhile} `, makeButton('Try again', again));
}
