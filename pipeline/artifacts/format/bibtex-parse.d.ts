/** What this software uses of the package, which comes without types. */
declare module 'bibtex-parse' {
  export type BibtexValue =
    | { datatype: 'braced' | 'quoted' | 'number' | 'identifier'; value: string }
    | { datatype: 'null'; value: null }
    | { datatype: 'concatinate'; value: BibtexValue[] };
  export type BibtexItem =
    | {
        itemtype: 'entry';
        type: string;
        /** Null where there is no comma behind it. */
        key: string | null;
        fields: (BibtexValue & { name: string })[];
        /** As it stands in the text. */
        raw: string;
      }
    | ({ itemtype: 'string' } & BibtexValue & { name: string })
    | { itemtype: 'comment'; comment: string }
    | { itemtype: 'preamble' };
  const bibtexParse: { parse(text: string, options: { number: 'string' }): BibtexItem[] };
  export default bibtexParse;
}
