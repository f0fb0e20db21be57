// `npm ci` must not fail where a browser download is refused; scripts/setup.sh finds or installs a Chromium.
module.exports = { skipDownload: true };
