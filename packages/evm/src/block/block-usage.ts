import type { BlockRules } from '@keelson/chainspec'
import { type Header, type SignedTransaction, TX_BLOB } from '@keelson/primitives'
import { GAS_PER_BLOB } from '../fees/blob-fee.ts'
import type { L1BlockValues } from '../fees/l1-block-values.ts'
import { daFootprint } from '../fees/l1-cost.ts'
import type { ExecutedTx } from '../tx/execution-context.ts'
import { type RejectedTx, rejected } from '../tx/rejection.ts'

export interface DataUse {
  readonly footprint: bigint
  readonly blobGas: bigint
}

export const NO_DATA: DataUse = { footprint: 0n, blobGas: 0n }

export class BlockUsage {
  readonly #gasLimit: bigint
  readonly #rules: BlockRules
  #gasUsed = 0n
  #executedGas = 0n
  #blobGasUsed = 0n

  constructor(header: Pick<Header, 'gasLimit'>, rules: BlockRules) {
    this.#gasLimit = header.gasLimit
    this.#rules = rules
  }

  get gasUsed(): bigint {
    return this.#gasUsed
  }

  /**
   * Counts the gas that code used, without refunds of the block, so that refunds do not admit more work than the gas limit.
   * op-reth: rust/alloy-op-evm, `OpBlockExecutor::prepare_transaction_with`
   */
  get gasLeft(): bigint {
    return this.#gasLimit - this.#executedGas
  }

  /** The DA footprint from Jovian. */
  get blobGasUsed(): bigint {
    return this.#blobGasUsed
  }

  dataUse(tx: SignedTransaction, l1Values: L1BlockValues | null): DataUse {
    return {
      footprint: l1Values === null ? 0n : daFootprint(tx.raw, this.#rules, l1Values),
      blobGas: tx.type === TX_BLOB ? GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length) : 0n,
    }
  }

  check(gasLimit: bigint, use: DataUse): RejectedTx | null {
    const gasLeft = this.gasLeft
    if (gasLimit > gasLeft) return rejected('block-gas-limit', `gas limit ${gasLimit} is above the ${gasLeft} gas left in the block`)
    const footprintLeft = this.#gasLimit - this.#blobGasUsed
    if (use.footprint > footprintLeft) {
      return rejected('da-footprint-limit', `DA footprint ${use.footprint} is above the ${footprintLeft} left in the block`)
    }
    const mostBlobGas = GAS_PER_BLOB * BigInt(this.#rules.blobParameters?.max ?? 0)
    if (use.blobGas > 0n && this.#blobGasUsed + use.blobGas > mostBlobGas) {
      const message = `${use.blobGas} blob gas on top of ${this.#blobGasUsed} is above ${mostBlobGas}, the most for a block`
      return rejected('blob-gas-limit', message)
    }
    return null
  }

  add({ gasUsed, gasRefund }: Pick<ExecutedTx, 'gasUsed' | 'gasRefund'>, use: DataUse): void {
    this.#gasUsed += gasUsed
    this.#executedGas += gasUsed + gasRefund
    this.#blobGasUsed += use.footprint + use.blobGas
  }
}
