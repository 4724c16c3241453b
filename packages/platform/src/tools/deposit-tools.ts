/** The tool for the status of a deposit from L1. */
import { toHash } from '@keelson/primitives'
import { z } from 'zod'
import { problem } from '../market/tool-outcome.ts'
import type { DepositStatusSource } from './ports.ts'
import { type AnyTool, defineTool } from './tool.ts'

export function createDepositTools({ deposits }: { readonly deposits: DepositStatusSource | null }): readonly AnyTool[] {
  return [
    defineTool({
      name: 'deposit_status',
      title: 'Deposit status',
      description: 'Progress of a deposit from L1 to the rollup, by the hash of its L1 transaction. From the status service of the bridge.',
      input: z.strictObject({
        tx_hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected the hash of an L1 transaction: 0x and 64 hex digits'),
      }),
      access: 'public',
      effect: 'reads',
      call: async ({ tx_hash }, { signal }) =>
        deposits === null
          ? problem('not-configured', 'no status service of the bridge is configured: the operator names one by --bridge.url')
          : deposits.status(toHash(tx_hash.toLowerCase()), signal),
    }),
  ]
}
