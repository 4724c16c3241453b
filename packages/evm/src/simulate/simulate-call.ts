/** A call against some state without a valid transaction: eth_call, and one try of eth_estimateGas. */
import type { BlockRules } from '@keelson/chainspec'
import type { AccessList, Bytes20, Bytes32, Crypto, Hash, Log, UnsignedTransaction } from '@keelson/primitives'
import type { HeaderSkeleton } from '../block/block-types.ts'
import { EvmError } from '../errors.ts'
import type { EvmEngine, SessionOptions, StateView } from '../ports.ts'
import type { RejectedTx } from '../tx/rejection.ts'

/** State and block that a simulation stands on. */
export interface SimulationContext {
  readonly engine: EvmEngine
  readonly view: StateView
  /** Of the block the call pretends to be in. */
  readonly header: HeaderSkeleton
  readonly rules: BlockRules
  readonly chainId: bigint
  readonly crypto: Crypto
  readonly blockHash: (number: number) => Hash | null
  readonly overrides?: readonly StateOverride[]
  readonly session?: SessionOptions
}

/** Replaces parts of an account before the call, as the third parameter of eth_call does. */
export interface StateOverride {
  readonly address: Bytes20
  readonly balanceWei?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  /** All other slots read as zero. */
  readonly storage?: readonly (readonly [slot: Bytes32, value: Bytes32])[]
  /** Other slots keep their value. */
  readonly storageDiff?: readonly (readonly [slot: Bytes32, value: Bytes32])[]
}

export interface SimulatedCall {
  readonly from: Bytes20
  /** As asked for; a missing gas limit, nonce or fee is filled in by the caller. With fees of zero, nothing is charged and the base fee is not asked for. */
  readonly tx: UnsignedTransaction
}

export type SimulationResult =
  | {
      readonly kind: 'executed'
      readonly status: 'success' | 'revert' | 'halt'
      readonly gasUsed: bigint
      readonly output: Uint8Array
      readonly logs: readonly Log[]
      readonly created: Bytes20 | null
      readonly error: string | null
      /** Addresses and slots touched, for eth_createAccessList. */
      readonly accessed: AccessList
    }
  | RejectedTx

/** Nonce and code of the sender are not checked; state is left as it was. */
export async function simulateCall(_context: SimulationContext, _call: SimulatedCall): Promise<SimulationResult> {
  throw new EvmError('evm/misuse', 'calls cannot be simulated: the executor is not built yet')
}
