import { z } from 'zod';

/** RFC 5321 §4.5.3.1, octets. */
const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;

const ATOM = /[a-z0-9!#$%&'*+/=?^_`{|}~-]+/.source;
const LABEL = /[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/.source;
const ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);

/**
 * `ada@example.edu`, in lower case, so that an address names one holder however it was typed. Only ASCII dot-atoms (no quotes,
 * comments, lists, line breaks or host addresses), so no part can be read as another address or header.
 */
export const mailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .refine(isAddress, 'expected one e-mail address, like ada@example.edu');

function isAddress(text: string): boolean {
  const [, local] = (text.length <= MAX_ADDRESS && ADDRESS.exec(text)) || [];
  return local !== undefined && local.length <= MAX_LOCAL;
}
