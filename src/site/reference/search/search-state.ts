/** A search. It is in the page's address, so it can be linked to. */
export interface SearchState {
  /** Empty for no search. */
  query: string;
  /** Empty for any kind. */
  kind: string;
}

/** It runs the search, and has a field of its own. */
export const SEARCH_PAGE = '/search/';

/** What it searches. */
export const SEARCH_FOLDER = `${SEARCH_PAGE}index/`;

/** A longer text was pasted by mistake. */
export const LONGEST_QUERY = 200;

/** Parses `?q=…&kind=…`. An unknown kind means any. */
export function parseSearch(parameters: URLSearchParams, kinds: readonly string[]): SearchState {
  const kind = parameters.get('kind') ?? '';
  const query = (parameters.get('q') ?? '').slice(0, LONGEST_QUERY);
  return { query, kind: kinds.includes(kind) ? kind : '' };
}

/** The query with its question mark; empty for the default. */
export function formatSearch({ query, kind }: SearchState): string {
  const parameters = new URLSearchParams();
  if (query.trim() !== '') parameters.set('q', query.trim());
  if (kind !== '') parameters.set('kind', kind);
  const text = parameters.toString();
  return text && `?${text}`;
}
