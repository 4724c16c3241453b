/** No genesis file can produce these first headers. */
import { EMPTY_OMMERS_HASH, EMPTY_TRIE_ROOT, type Header, hexToBytes, toAddress, toHash, ZERO_HASH } from '@keelson/primitives'

/**
 * Block 105,235,063 of OP Mainnet, the first under Bedrock: `BEDROCK_HEADER` in rust/op-reth/crates/primitives/src/bedrock.rs of
 * ethereum-optimism/optimism.
 */
const OP_MAINNET_BEDROCK: Header = {
  parentHash: toHash('0x21a168dfa5e727926063a28ba16fd5ee84c814e847c81a699c7a0ea551e4ca50'),
  ommersHash: EMPTY_OMMERS_HASH,
  feeRecipient: toAddress('0x4200000000000000000000000000000000000011'),
  stateRoot: toHash('0x920314c198da844a041d63bf6cbe8b59583165fd2229d1b3f599da812fd424cb'),
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  number: 105_235_063,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestampSec: 1_686_068_903,
  extraData: hexToBytes('0x424544524f434b'),
  mixHash: ZERO_HASH,
  nonce: new Uint8Array(8),
  baseFeeWei: 1_000_000_000n,
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
}

export const MIGRATED_GENESIS: Readonly<Record<string, Header>> = { 'mainnet/op': OP_MAINNET_BEDROCK }
