import type { BlockEnv } from '@keelson/evm'

export const BENCH_ENV: BlockEnv = {
  chainId: 1n,
  number: 1_000n,
  timestampSec: 1n,
  gasLimit: 1_000_000_000n,
  baseFeeWei: 0n,
  feeRecipient: new Uint8Array(20),
  prevRandao: new Uint8Array(32),
  difficulty: 0n,
  blobBaseFeeWei: 1n,
  blockHash: () => null,
}
