/** Assembles the bitcoin tools: two that calculate, and one that asks a source of blocks if one is configured. */

import { z } from 'zod'
import {
  type AddressValidation,
  type BitcoinBlock,
  type DecodedTx,
  DecodeTxRequest,
  ValidateAddressRequest,
} from '../../schemas/bitcoin.ts'
import { describeTool, type ToolList } from '../../schemas/tool-list.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { decodeBitcoinTx } from './decode-tx.ts'
import { validateBitcoinAddress } from './validate-address.ts'

export interface Bitcoin {
  list(): ToolList
  /** Throws SourceError. */
  latestBlock(signal?: AbortSignal): Promise<ToolOutcome<BitcoinBlock>>
  decodeTx(request: DecodeTxRequest): ToolOutcome<DecodedTx>
  validateAddress(request: ValidateAddressRequest): AddressValidation
}

const LIST: ToolList = {
  tools: [
    describeTool('bitcoin_latest_block', 'The newest block of the bitcoin chain: height, hash, time, size.', z.strictObject({})),
    describeTool(
      'bitcoin_decode_tx',
      'Takes a serialized bitcoin transaction apart: inputs, outputs, scripts, addresses, ids.',
      DecodeTxRequest,
    ),
    describeTool('bitcoin_validate_address', 'Says whether a bitcoin address is valid, of which kind and network.', ValidateAddressRequest),
  ],
}

/** Throws SourceError. */
export type ReadLatestBlock = (signal?: AbortSignal) => Promise<BitcoinBlock>

/** `readLatestBlock` null: no source is configured. */
export function createBitcoin(readLatestBlock: ReadLatestBlock | null): Bitcoin {
  return {
    list: () => LIST,
    async latestBlock(signal) {
      if (readLatestBlock === null)
        return problem(
          'not-configured',
          'no source of bitcoin blocks is configured: the operator names an Esplora-compatible API by --esplora.url',
        )
      return succeeded(await readLatestBlock(signal))
    },
    decodeTx: decodeBitcoinTx,
    validateAddress: validateBitcoinAddress,
  }
}
