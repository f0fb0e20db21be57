import { type JsonObject, MAX_BYTES } from './read-json.ts';

/** Of the line end that whoever prints or saves the text puts after it. */
const LINE_END_BYTES = 1;

/** The document for people, indented, unless that made it longer than what a verifier reads. Without a line end. */
export function formatDocument(document: JsonObject): string {
  const indented = JSON.stringify(document, null, 2);
  const bytes = new TextEncoder().encode(indented).length + LINE_END_BYTES;
  return bytes <= MAX_BYTES ? indented : JSON.stringify(document);
}
