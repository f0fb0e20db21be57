/** The address of a file as it was, on any host: the page assembles it. `other`: the snapshot that it is compared with. */
export function versionAddress(path: string, asOf: string, other?: string): string {
  const query = new URLSearchParams({ file: path, as_of: asOf, ...(other !== undefined && { with: other }) });
  // A path is easier to read with its slashes, which a query may have.
  return `/versions/?${query.toString().replaceAll('%2F', '/')}`;
}

/** `economy/mic-history.csv` → `mic-history_2026-06-10T06Z.csv`; a file without an ending gets that of its media type. */
export function versionFileName(path: string, id: string, mediaType: string): string {
  const [, name = path, ending = ''] = /([^/]+?)(\.\w+)?$/.exec(path) ?? [];
  return `${name}_${id}${ending || (/\bjson$/.test(mediaType) ? '.json' : '')}`;
}
