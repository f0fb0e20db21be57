// scripts/setup.sh provides the browser.
module.exports = { skipDownload: true };
