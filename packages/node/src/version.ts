export const VERSION = '0.1.0'
/** ISO 8601, changed with the version. */
export const RELEASED_ON = '2026-11-28'
export const CLIENT_NAME = 'Keelson'
/** web3_clientVersion: name/version/platform/runtime. */
export const CLIENT_VERSION = `${CLIENT_NAME}/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
