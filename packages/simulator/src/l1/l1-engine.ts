/** Executes L1 transactions and calls, by Prague's rules without requests. */
import { type BlockRules, l1ForkRules } from '@keelson/chainspec'
import {
  createWasmEngine,
  type EvmEngine,
  estimateGas,
  type GasEstimate,
  type HeaderSkeleton,
  type OpenBlock,
  openBlock,
  type SimulatedCall,
  type SimulationResult,
  simulateCall,
} from '@keelson/evm'
import type { Crypto, Hash } from '@keelson/primitives'
import type { L1Block } from './l1-block.ts'
import { type L1State, viewOf } from './l1-state.ts'

/** The contracts of EIP-7002 and EIP-7251 are not deployed. */
export const L1_RULES: BlockRules = { ...l1ForkRules('prague'), requests: 'empty' }
const HASH_SEED = Uint8Array.from({ length: 80 }, (_, i) => i)

export interface L1EngineOptions {
  readonly chainId: bigint
  readonly crypto: Crypto
  /** The canonical hash. */
  blockHash(number: number): Hash | null
}

export class L1Engine {
  readonly #options: L1EngineOptions
  readonly #engine: EvmEngine

  constructor(options: L1EngineOptions) {
    this.#options = options
    this.#engine = createWasmEngine({ crypto: options.crypto, hashSeed: HASH_SEED })
  }

  openBlock(state: L1State, header: HeaderSkeleton): OpenBlock {
    return openBlock({ ...this.#context(state, header), transition: null })
  }

  call({ state, header }: L1Block, call: SimulatedCall): SimulationResult {
    return simulateCall(this.#context(state, header), call)
  }

  estimateGas({ state, header }: L1Block, call: SimulatedCall): GasEstimate {
    return estimateGas(this.#context(state, header), call)
  }

  #context(state: L1State, header: HeaderSkeleton) {
    const { chainId, crypto, blockHash } = this.#options
    return { engine: this.#engine, view: viewOf(state), header, rules: L1_RULES, chainId, crypto, blockHash }
  }
}
