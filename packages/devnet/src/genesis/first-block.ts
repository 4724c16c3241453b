import { type Genesis, INITIAL_BASE_FEE_WEI } from '@keelson/chainspec'
import { ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'

export type GenesisHead = Omit<Genesis, 'accounts'>

type Chosen = Pick<GenesisHead, 'chainConfig' | 'timestampSec' | 'gasLimit'> & Partial<GenesisHead>

export function firstBlock(chosen: Chosen): GenesisHead {
  return {
    number: 0,
    parentHash: ZERO_HASH,
    extraData: new Uint8Array(0),
    gasUsed: 0n,
    difficulty: 0n,
    mixHash: ZERO_HASH,
    feeRecipient: ZERO_ADDRESS,
    nonce: new Uint8Array(8),
    baseFeeWei: INITIAL_BASE_FEE_WEI,
    blobGasUsed: null,
    excessBlobGas: null,
    ...chosen,
  }
}
