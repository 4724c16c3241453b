/** What the node calls itself, to operators and to other nodes. */
export const VERSION = '0.1.0'
export const CLIENT_NAME = 'Keelson'
/** For web3_clientVersion: name/version/platform/runtime, as other clients write it. */
export const CLIENT_VERSION = `${CLIENT_NAME}/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
