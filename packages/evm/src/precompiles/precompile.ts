import type { Crypto, PairingCurves, SyncKzgVerifier } from '@keelson/primitives'

export interface Precompile {
  readonly name: string
  /** May exceed any gas limit. The caller charges it before `run`. */
  gas(input: Uint8Array): bigint
  /** May share memory with the input; null fails the call and consumes all gas. */
  run(input: Uint8Array): Uint8Array | null
  /** geth's text for why `run` returned null (core/vm/contracts.go). May cost as much as `run`. */
  failure?(input: Uint8Array): string
}

export interface PrecompileParts {
  readonly crypto: Crypto
  /** Null selects slower JavaScript. */
  readonly curves: PairingCurves | null
  /** If null, point evaluation throws EvmError `evm/misuse`. */
  readonly kzg: SyncKzgVerifier | null
}
