/** Invalid transactions and blocks are returned, not thrown. */
import { type Bytes20, type Bytes32, bytesToHex, NodeError } from '@keelson/primitives'

export type EvmErrorCode = 'evm/balance-underflow' | 'evm/system-contract' | 'evm/misuse' | 'evm/limit' | 'evm/interrupted'

export class EvmError extends NodeError<EvmErrorCode> {
  readonly severity = 'critical'
}

export type MissingState =
  | { readonly kind: 'account'; readonly address: Bytes20 }
  | { readonly kind: 'storage'; readonly address: Bytes20; readonly slot: Bytes32 }
  | { readonly kind: 'code'; readonly codeHash: Bytes32 }

export class StateMiss extends NodeError<'evm/state-miss'> {
  readonly missing: MissingState
  constructor(missing: MissingState) {
    const what = missing.kind === 'code' ? missing.codeHash : missing.address
    super('evm/state-miss', `the state view lacks ${missing.kind} ${bytesToHex(what)}`, {
      address: missing.kind === 'code' ? null : bytesToHex(missing.address),
      slot: missing.kind === 'storage' ? bytesToHex(missing.slot) : null,
    })
    this.missing = missing
  }
}
