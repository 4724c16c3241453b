/** Options: diffMode, disableCode, disableStorage, includeEmpty. */
import { ethParameters } from '@keelson/chainspec'
import { type Address, type Bytes20, hexToBytes, toAddress } from '@keelson/primitives'
import type { TraceStep } from '../tracer.ts'
import { delegationTarget } from '../tx/authorizations.ts'
import { create2Address, createAddress } from '../tx/contract-address.ts'
import { PrestateAccounts, type PrestateOptions } from './prestate-accounts.ts'
import { memorySlice, stackAddress, stackWord } from './step-reading.ts'
import type { TraceContext, TracedState, TracedTransaction, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

/** Throws for conflicting options. */
export function createPrestateTracer(config: TracerConfig, context: TraceContext, also: readonly Bytes20[] = []): TransactionTracer {
  return new PrestateTracer(config, context, also)
}

class PrestateTracer implements TransactionTracer {
  readonly hooks = { step: (at: TraceStep) => this.#step(at) }
  readonly #context: TraceContext
  /** Recorded although no step touches them. */
  readonly #also: readonly Bytes20[]
  readonly #options: PrestateOptions
  readonly #diffMode: boolean
  readonly #destroysOnlyNewContracts: boolean
  readonly #created = new Set<Address>()
  readonly #deleted = new Set<Address>()
  #state: TracedState | null = null
  #accounts: PrestateAccounts | null = null
  #answer: unknown = null

  constructor(config: TracerConfig, context: TraceContext, also: readonly Bytes20[]) {
    this.#context = context
    this.#also = also
    this.#diffMode = config.diffMode === true
    this.#options = {
      withCode: config.disableCode !== true,
      withStorage: config.disableStorage !== true,
      includeEmpty: config.includeEmpty === true,
    }
    this.#destroysOnlyNewContracts = ethParameters(context.rules.ethFork).destroysOnlyNewContracts
    if (this.#diffMode && this.#options.includeEmpty) throw new Error('cannot use diffMode with includeEmpty')
  }

  start(tx: TracedTransaction, at: TracedState): void {
    this.#state = at
    this.#accounts = new PrestateAccounts(at, this.#context.budget, this.#options)
    const to = tx.to ?? createAddress(tx.from, tx.nonce)
    if (tx.to === null) this.#created.add(toAddress(to))
    else this.#recordDelegate(to)
    for (const address of [tx.from, to, at.env.feeRecipient, ...tx.authorities, ...this.#also]) this.#accounts.record(address)
  }

  end(): void {
    if (this.#accounts === null) return
    this.#answer = this.#diffMode ? this.#accounts.difference(this.#deleted) : this.#accounts.before()
  }

  result(): unknown {
    return this.#answer
  }

  #step(at: TraceStep): void {
    // A step that cannot pay or must not write reads nothing.
    if (at.failure !== null) return
    const { stack, address } = at
    switch (at.opcodeName) {
      case 'SLOAD':
      case 'SSTORE':
        if (stack.length >= 1) this.#accounts?.recordSlot(address, stackWord(stack, 0))
        return
      case 'SELFDESTRUCT':
        if (stack.length < 1) return
        this.#accounts?.record(stackAddress(stack, 0))
        if (!this.#destroysOnlyNewContracts || this.#created.has(toAddress(address))) this.#deleted.add(toAddress(address))
        return
      case 'EXTCODECOPY':
      case 'EXTCODEHASH':
      case 'EXTCODESIZE':
      case 'BALANCE':
        if (stack.length >= 1) this.#accounts?.record(stackAddress(stack, 0))
        return
      case 'CALL':
      case 'CALLCODE':
      case 'DELEGATECALL':
      case 'STATICCALL':
        if (stack.length < 5) return
        this.#accounts?.record(stackAddress(stack, 1))
        this.#recordDelegate(stackAddress(stack, 1))
        return
      case 'CREATE':
        if (this.#state !== null) this.#recordCreation(createAddress(address, this.#state.nonce(address)))
        return
      case 'CREATE2': {
        if (stack.length < 4) return
        const init = memorySlice(at, stack[stack.length - 2] as bigint, stack[stack.length - 3] as bigint)
        if (init !== null) this.#recordCreation(create2Address(address, stackWord(stack, 3), init))
      }
    }
  }

  #recordDelegate(bytes: Bytes20): void {
    const { rules } = this.#context
    const target = rules.setCodeTransactions && this.#state !== null ? delegationTarget(this.#state.code(bytes)) : null
    if (target !== null) this.#accounts?.record(hexToBytes(target))
  }

  #recordCreation(address: Bytes20): void {
    this.#accounts?.record(address)
    this.#created.add(toAddress(address))
  }
}
