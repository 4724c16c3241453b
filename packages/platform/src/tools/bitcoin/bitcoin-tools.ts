/** The bitcoin tools put together: two that reckon, and one that asks an Esplora-compatible API where one is configured. */

import { z } from 'zod'
import {
  type AddressValidation,
  type BitcoinBlock,
  type DecodedTx,
  DecodeTxRequest,
  ValidateAddressRequest,
} from '../../schemas/bitcoin.ts'
import { describeTool, type ToolList } from '../../schemas/tool-list.ts'
import type { JsonSource } from '../../sources/json-source.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { decodeBitcoinTx } from './decode-tx.ts'
import { latestBitcoinBlock } from './latest-block.ts'
import { validateBitcoinAddress } from './validate-address.ts'

export interface BitcoinTools {
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

/** `esplora` null: none is configured. */
export function createBitcoinTools(esplora: JsonSource | null): BitcoinTools {
  return {
    list: () => LIST,
    async latestBlock(signal) {
      if (esplora === null)
        return problem(
          'not-configured',
          'no source of bitcoin blocks is configured: the operator names an Esplora-compatible API by --esplora.url',
        )
      return succeeded(await latestBitcoinBlock(esplora, signal))
    },
    decodeTx: decodeBitcoinTx,
    validateAddress: validateBitcoinAddress,
  }
}
