/** snap/1 (github.com/ethereum/devp2p, caps/snap.md) */
export const SNAP_CAPABILITY = { name: 'snap', version: 1, length: 8 } as const

export const SNAP_CODES = {
  getAccountRange: 0,
  accountRange: 1,
  getStorageRanges: 2,
  storageRanges: 3,
  getByteCodes: 4,
  byteCodes: 5,
  getTrieNodes: 6,
  trieNodes: 7,
} as const

export function isResponse(code: number): boolean {
  return code % 2 === 1
}

export const SNAP_LIMITS = {
  /** A response ends with the item that exceeds it. */
  softResponseBytes: 2 * 2 ** 20,
  /** A response above it breaks the protocol. */
  responseBytes: 4 * 2 ** 20,
  requestBytes: 256 * 2 ** 10,
  /** Accounts, codes or nodes in a request. */
  items: 1_024,
  /** Two paths of a trie whose keys have 32 bytes. */
  proofNodes: 128,
  /** Blocks from the head down whose states are served. */
  states: 128,
} as const
