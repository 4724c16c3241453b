import type { EvmEngine, OpenBlockOptions } from '@keelson/evm'
import type { Clock, Crypto, Hash, Logger } from '@keelson/primitives'
import type { StateStore, StateView } from '@keelson/state'
import type { ChainReader, SealedHeader } from '../chain/chain-reader.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { Senders } from '../senders/senders.ts'

export interface ExecutionContext {
  readonly chainId: bigint
  readonly rules: ChainRules
  readonly chain: ChainReader
  readonly state: StateStore
  readonly evm: EvmEngine
  readonly crypto: Crypto
  readonly senders: Senders
  readonly clock: Clock
  readonly log: Logger
}

export function openOptions(
  context: ExecutionContext,
  parent: SealedHeader,
  view: StateView,
): Pick<OpenBlockOptions, 'engine' | 'view' | 'chainId' | 'crypto' | 'blockHash'> {
  const known = new Map<number, Hash | null>()
  return {
    engine: context.evm,
    view,
    chainId: context.chainId,
    crypto: context.crypto,
    blockHash(number) {
      let hash = known.get(number)
      if (hash === undefined) {
        hash = context.chain.ancestorHash(parent, number)
        known.set(number, hash)
      }
      return hash
    },
  }
}
