import { z } from 'zod';
import { formatNumber } from '../../../../../pipeline/words/number.ts';
import { formatToken } from '../../../../../pipeline/words/phrase.ts';
import { stated } from '../key-figure.ts';

const TREATY = 'diplomacy/treaty-framework.json';
const STANDARDS = 'diplomacy/standards.json';
const PROTOCOLS = 'diplomacy/protocols.json';

const Sized = z.array(z.unknown());

export const articles = stated(TREATY, z.looseObject({ version: z.string(), articles: Sized }), (treaty) => ({
  label: 'Treaty framework',
  value: formatNumber(treaty.articles.length),
  unit: 'articles',
  note: `version ${treaty.version}`,
}));

export const obligations = stated(TREATY, z.looseObject({ obligations: Sized }), ({ obligations }) => ({
  label: 'Obligations',
  value: formatNumber(obligations.length),
  unit: 'each with its proof',
  note: 'who owes what, by when, and how anyone can tell',
}));

export const signatures = stated(
  TREATY,
  z.looseObject({ parties: z.looseObject({ signatures: Sized }), status: z.string() }),
  ({ parties: { signatures }, status }) => ({
    label: 'Signatures',
    value: formatNumber(signatures.length),
    unit: 'deposited',
    note: formatToken(status),
  }),
);

export const clauses = stated(
  STANDARDS,
  z.looseObject({ version: z.string(), standards: z.array(z.looseObject({ clauses: Sized })) }),
  ({ standards, version }) => ({
    label: 'Standards',
    value: formatNumber(standards.flatMap(({ clauses }) => clauses).length),
    unit: `clauses in ${standards.length} standards`,
    note: `each with a test; version ${version}`,
  }),
);

export const protocols = stated(
  PROTOCOLS,
  z.looseObject({ version: z.string(), protocols: Sized }),
  ({ protocols, version }) => ({
    label: 'Protocols',
    value: formatNumber(protocols.length),
    unit: 'step by step',
    note: `version ${version}`,
  }),
);
