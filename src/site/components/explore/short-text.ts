/** A text of the ledger may be pages long; a title has room for this many characters. */
const MOST = 110;

/** As it is, or cut after a word, with an ellipsis. */
export function shortText(text: string): string {
  if (text.length <= MOST) return text;
  const cut = text.slice(0, MOST);
  const end = cut.lastIndexOf(' ');
  return `${end > MOST / 2 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')} …`;
}
