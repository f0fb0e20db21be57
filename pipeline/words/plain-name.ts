/** Names that are safe in an address, on a disk and in any server's configuration: ASCII, no two dots in a row. */
const PLAIN = /^(?=.{1,100}$)[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*$/;
/** Lists by year, and names that mean something to Windows, static hosts or the site's build. */
const RESERVED =
  /^(in-\d{4}|web\.config|(index|con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*\.(html?|xhtml|br|gz|zst))$/;

/** Whether a page or a file can have this name as it is: `ATLAS`, but not `index.html` or `a/b`. */
export function isPlainName(id: string): boolean {
  return PLAIN.test(id) && !RESERVED.test(id.toLowerCase());
}
