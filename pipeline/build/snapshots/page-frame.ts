import { escapeText } from '../../charts/drawing/element.ts';

/** What the pages beside the releases need of the service. */
export interface Look {
  /** Without a slash at the end. */
  baseUrl: string;
  /** Path of the style sheet, from the root. */
  style: string;
}

interface Framed {
  title: string;
  description: string;
  /** Said above everything else; HTML. */
  notice?: string;
  /** HTML. */
  main: string;
}

/**
 * A whole page with the site's styles. It stays while the site changes, so it links to nothing that a later release may
 * not have but the site's chapters, and its styles are its own.
 */
export function pageFrame({ title, description, notice, main }: Framed, { style }: Look): string {
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)} – Cathedral Data Service</title>
<meta name="description" content="${escapeText(description)}">
<meta name="robots" content="noindex">
<link rel="license" href="/licence/">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="site-header">
<a class="wordmark" href="/">Cathedral Data Service</a>
<nav class="site-tools" aria-label="Data"><ul>
<li><a href="/files/">Files</a></li>
<li><a href="/snapshots/">Snapshots</a></li>
<li><a href="/verification/">Verification</a></li>
</ul></nav>
</header>
${notice === undefined ? '' : `<aside class="old-data" aria-label="Not current"><p>${notice}</p></aside>\n`}<main id="content" tabindex="-1">
${main}
</main>
<footer class="site-footer">
<p>Data under <a href="/licence/">CC BY 4.0</a>.</p>
</footer>
</body>
</html>
`;
}
