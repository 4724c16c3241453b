/** The bitcoin tools. */
import { z } from 'zod'
import type { Bitcoin } from '../market/bitcoin/bitcoin.ts'
import { succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import { DecodeTxRequest, ValidateAddressRequest } from '../schemas/bitcoin.ts'
import { type AnyTool, defineTool } from './tool.ts'

const COMPUTED_FROM_INPUT = "computed from the input by bitcoin's rules"

export function createBitcoinTools({ bitcoin }: { readonly bitcoin: Bitcoin }): readonly AnyTool[] {
  const describe = (name: string) => bitcoin.list().tools.find((tool) => tool.name === name)?.description ?? name
  const shared = { access: 'public', effect: 'reads' } as const
  return [
    defineTool({
      ...shared,
      name: 'bitcoin_latest_block',
      title: 'Newest bitcoin block',
      description: describe('bitcoin_latest_block'),
      input: z.strictObject({}),
      call: (_, { signal }) => bitcoin.latestBlock(signal),
    }),
    defineTool({
      ...shared,
      name: 'bitcoin_decode_tx',
      title: 'Bitcoin transaction',
      description: describe('bitcoin_decode_tx'),
      input: DecodeTxRequest,
      call: async (args) => withSource(bitcoin.decodeTx(args)),
    }),
    defineTool({
      ...shared,
      name: 'bitcoin_validate_address',
      title: 'Bitcoin address',
      description: describe('bitcoin_validate_address'),
      input: ValidateAddressRequest,
      call: async (args) => withSource(succeeded(bitcoin.validateAddress(args))),
    }),
  ]
}

function withSource<T extends object>(outcome: ToolOutcome<T>): ToolOutcome<T & { readonly source: string }> {
  return outcome.ok ? succeeded({ ...outcome.value, source: COMPUTED_FROM_INPUT }) : outcome
}
