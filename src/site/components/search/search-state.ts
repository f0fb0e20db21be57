/** What is searched for; in the page's address, so that a search can be linked to. */
export interface SearchState {
  /** Empty: nothing is searched. */
  query: string;
  /** Empty: of any kind. */
  kind: string;
}

/** Longer is not a search but a paste. */
export const LONGEST_QUERY = 200;

/** Of an address's `?q=…&kind=…`; a kind that is not offered means any. */
export function parseSearch(parameters: URLSearchParams, kinds: readonly string[]): SearchState {
  const kind = parameters.get('kind') ?? '';
  const query = (parameters.get('q') ?? '').slice(0, LONGEST_QUERY);
  return { query, kind: kinds.includes(kind) ? kind : '' };
}

/** Empty, or with its question mark. */
export function formatSearch({ query, kind }: SearchState): string {
  const parameters = new URLSearchParams();
  if (query.trim() !== '') parameters.set('q', query.trim());
  if (kind !== '') parameters.set('kind', kind);
  const text = parameters.toString();
  return text && `?${text}`;
}
