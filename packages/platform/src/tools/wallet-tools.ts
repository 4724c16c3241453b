/** What addresses hold. */
import type { z } from 'zod'
import type { Chains } from '../market/chain/chains.ts'
import { walletBalance } from '../market/chain/wallet-balance.ts'
import { succeeded } from '../market/tool-outcome.ts'
import { type WalletBalance, WalletBalanceRequest } from '../schemas/wallet.ts'
import { chainSource, onChain } from './chain-choice.ts'
import { type AnyTool, defineTool } from './tool.ts'

export interface WalletBalanceResult extends WalletBalance {
  readonly chain: string
  readonly native_symbol: string
  readonly source: string
}

export function createWalletTools({ chains }: { readonly chains: Chains | null }): readonly AnyTool[] {
  return [
    defineTool({
      name: 'wallet_balance',
      title: 'Balance',
      description:
        'What an address holds on a chain: native currency and configured tokens, with their value by price feeds (null without one).',
      input: WalletBalanceRequest,
      access: 'public',
      effect: 'reads',
      call: ({ address, chain }: z.output<typeof WalletBalanceRequest>) =>
        onChain(chains, chain, async (reader) => {
          const outcome = await walletBalance({ address }, { all: [reader], main: reader, find: () => reader })
          if (!outcome.ok) return outcome
          const { block_number, ...balance } = outcome.value
          const { name, native } = reader.config
          return succeeded<WalletBalanceResult>({
            ...balance,
            chain: name,
            native_symbol: native.symbol,
            source: chainSource(reader, block_number),
          })
        }),
    }),
  ]
}
