/** What networks, mail programs and campaign tools write after any address that is shared; no control has such a name. */
const FOREIGN =
  /^(utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|_hs\w+|ref_src)$/;

/**
 * The parameters of a page's address that are the page's: a chart that was shared is still the chart, while a parameter
 * that is merely misspelt is for the page to refuse. What a form left empty was not filled in.
 */
export function ownParameters(search: string): URLSearchParams {
  const given = [...new URLSearchParams(search)];
  return new URLSearchParams(given.filter(([name, value]) => value !== '' && !FOREIGN.test(name)));
}
