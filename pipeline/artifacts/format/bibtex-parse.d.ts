/** What the citation database uses of the package, which comes without types. */
declare module 'bibtex-parse' {
  export type BibtexItem =
    | {
        itemtype: 'entry';
        type: string;
        key: string;
        fields: { name: string; value: unknown; datatype: string }[];
      }
    | { itemtype: 'comment' | 'preamble' | 'string' };
  const bibtexParse: { parse(text: string, options?: { number: 'string' }): BibtexItem[] };
  export default bibtexParse;
}
