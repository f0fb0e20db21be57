/** What the tests use of packages that come without types. */
declare module 'jsonld' {
  interface Term {
    value: string;
  }
  const jsonld: {
    toRDF(
      document: unknown,
      options: { base: string; documentLoader: (url: string) => Promise<never>; safe: true },
    ): Promise<{ subject: Term; predicate: Term; object: Term }[]>;
  };
  export default jsonld;
}

declare module '@citation-js/core' {
  interface Item {
    id: string;
    type: string;
    title?: string;
    URL?: string;
    author?: Record<string, string>[];
    issued?: { 'date-parts': number[][] };
  }
  export class Cite {
    constructor(data: unknown);
    data: Item[];
    format(type: 'bibliography', options: { format: 'text'; template: string }): string;
  }
}

declare module '@citation-js/plugin-bibtex';
declare module '@citation-js/plugin-csl';
declare module '@citation-js/plugin-ris';
