import type { BlockRules } from '@keelson/chainspec'
import { ethParameters } from '@keelson/chainspec'
import { expectedExcessBlobGas, type HeaderSkeleton, nextBaseFeeWei } from '@keelson/evm'
import type { PayloadAttributes } from '@keelson/primitives'
import type { SealedHeader } from '../chain/chain-reader.ts'

type BlockAttributes = Pick<PayloadAttributes, 'timestampSec' | 'gasLimit' | 'feeRecipient' | 'prevRandao' | 'parentBeaconBlockRoot'>

export function blockSkeleton(parent: SealedHeader, attributes: BlockAttributes, rules: BlockRules): HeaderSkeleton {
  return {
    parentHash: parent.hash,
    number: parent.header.number + 1,
    timestampSec: attributes.timestampSec,
    gasLimit: attributes.gasLimit,
    baseFeeWei: rules.feeSink === 'miner' ? null : nextBaseFeeWei(parent.header, rules),
    feeRecipient: attributes.feeRecipient,
    mixHash: attributes.prevRandao,
    difficulty: 0n,
    parentBeaconBlockRoot: attributes.parentBeaconBlockRoot,
    excessBlobGas: excessBlobGas(parent, rules),
  }
}

function excessBlobGas(parent: SealedHeader, rules: BlockRules): bigint | null {
  if (!rules.blobFields) return null
  if (rules.blobParameters === null) return 0n
  return expectedExcessBlobGas(parent.header, rules.blobParameters, ethParameters(rules.ethFork).blobReservePrice)
}
