/** Everything may be read by everybody, programs too; what needs a key asks for one. */
export function formatRobotsTxt(baseUrl: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`;
}
