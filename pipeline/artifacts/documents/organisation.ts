import * as z from 'zod/mini';
import { visible } from '../../words/hidden.ts';
import { Prose } from './prose.ts';

/** Among the documents, and in every release below its folder, where it has no URL. */
export const ORGANISATION_FILE = 'organisation.json';

/** Where it is shown: titles, headers of mails, names of keys. */
const MAX_NAME = 200;

const Name = Prose.check(z.maxLength(MAX_NAME, `at most ${MAX_NAME} characters`));
const WebAddress = z.string().check(
  z.maxLength(MAX_NAME, `at most ${MAX_NAME} characters`),
  z.regex(/^https?:\/\/[^\s/?#@\\"<>+][^\s?#@\\"<>+]*$/, 'an address like https://www.example.org/'),
  z.refine((text) => URL.canParse(text), 'an address like https://www.example.org/'),
  visible,
);

/** The terms of the public data: a licence with an SPDX identifier, or the organisation's own terms under a short name. */
const Licence = z.strictObject({
  /** `CC-BY-4.0`; pages write `CC BY 4.0`. */
  id: z
    .string()
    .check(
      z.maxLength(60, 'at most 60 characters'),
      z.regex(/^[A-Za-z0-9][A-Za-z0-9.-]*$/, 'an SPDX identifier like CC-BY-4.0'),
    ),
  title: Name,
  url: WebAddress,
});
export type Licence = z.infer<typeof Licence>;

/** What an operator is asked for, each with its form, in the order of the questions. */
export const ORGANISATION_UNITS = {
  name: `one line, at most ${MAX_NAME} characters`,
  contact: 'an e-mail address',
  homepage: 'http(s)://…',
} as const;

/** `organisation.json`: who publishes. Everything published bears this name. */
export const Organisation = z.strictObject({
  name: Name,
  /** Its own page. Without it, the address of the service stands for it. */
  homepage: z.optional(WebAddress),
  /** Requests for keys come by mail, so an address of a page would not do. */
  contact: z.email('an e-mail address'),
  /** Whom citations name. Without it, the organisation. */
  authors: z.optional(z.array(Name).check(z.minLength(1, 'at least one name, or no member “authors”'))),
  licence: Licence,
  /** Registered for the data of all years. */
  doi: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^10\.\d{4,9}\/[A-Za-z0-9._;()/:-]+$/,
          'a DOI like 10.1234/council, without https://doi.org/',
        ),
      ),
  ),
});
export type Organisation = z.infer<typeof Organisation>;

/** The licence of a new organisation's data. Without one, nobody may use them. */
export const DEFAULT_LICENCE: Licence = {
  id: 'CC-BY-4.0',
  title: 'Creative Commons Attribution 4.0 International',
  url: 'https://creativecommons.org/licenses/by/4.0/',
};

/** What a catalogue of the organisation's data is called. */
export function catalogueTitle({ name }: Organisation): string {
  return `${name}: open data`;
}

/** `CC BY 4.0`, as people write it. */
export function licenceWords({ licence }: Pick<Organisation, 'licence'>): string {
  return licence.id.replaceAll('-', ' ');
}

/** The organisation's own page, or the service. */
export function homeOf({ homepage }: Organisation, baseUrl: string): string {
  return homepage ?? `${baseUrl}/`;
}

export function authorsOf({ authors, name }: Organisation): readonly string[] {
  return authors ?? [name];
}

/** The name of the publisher’s first key, which it keeps: `www.example.org/data`. */
export function keyNameOf(organisation: Organisation, baseUrl: string): string {
  return homeOf(organisation, baseUrl)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');
}
