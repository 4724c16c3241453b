import { blobBaseFeeWei } from '@keelson/chainspec'
import { hexToBytes } from '@keelson/primitives'
import type { BlockEnv } from '../ports.ts'
import type { OpenBlockOptions } from './block-types.ts'

const NO_BLOBS_PRICE_WEI = 1n

export type BlockEnvSource = Pick<OpenBlockOptions, 'header' | 'rules' | 'chainId' | 'blockHash'>

export function createBlockEnv({ header, rules, chainId, blockHash }: BlockEnvSource): BlockEnv {
  const number = BigInt(header.number)
  return {
    chainId,
    number,
    timestampSec: BigInt(header.timestampSec),
    gasLimit: header.gasLimit,
    baseFeeWei: header.baseFeeWei ?? 0n,
    feeRecipient: hexToBytes(header.feeRecipient),
    prevRandao: hexToBytes(header.mixHash),
    difficulty: header.difficulty,
    blobBaseFeeWei: rules.blobParameters === null ? NO_BLOBS_PRICE_WEI : blobBaseFeeWei(header.excessBlobGas ?? 0n, rules.blobParameters),
    blockHash(wanted) {
      const hash = wanted === number - 1n ? header.parentHash : blockHash(Number(wanted))
      return hash === null ? null : hexToBytes(hash)
    },
  }
}
