import type { BlockRules } from '@keelson/chainspec'
import type { AccessList, Account, Bytes20, Bytes32, Log, StateDiff } from '@keelson/primitives'
import type { EvmTracer } from './tracer.ts'

/** Throws `StateMiss` for a missing value. */
export interface StateView {
  account(address: Bytes20): Account | null
  storage(address: Bytes20, slot: Bytes32): Bytes32
  code(codeHash: Bytes32): Uint8Array
  /** For views that record reads: called for each code of this state that was used, even if an engine had it in a cache. */
  usedCode?(codeHash: Bytes32): void
}

export interface BlockEnv {
  readonly chainId: bigint
  readonly number: bigint
  readonly timestampSec: bigint
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint
  readonly feeRecipient: Bytes20
  /** Unused before Paris. */
  readonly prevRandao: Bytes32
  readonly difficulty: bigint
  /** Always 1 on OP chains. */
  readonly blobBaseFeeWei: bigint
  /** If null, BLOCKHASH returns zero. */
  blockHash(number: bigint): Bytes32 | null
}

export interface TransactionEnv {
  readonly origin: Bytes20
  readonly gasPriceWei: bigint
  readonly blobVersionedHashes: readonly Bytes32[]
  /** EIP-2929, 2930, 3651 */
  readonly warmAddresses: readonly Bytes20[]
  readonly accessList: AccessList
  /** Skips the access to `origin`, which witnesses omit. */
  readonly system?: boolean
}

export interface Message {
  readonly kind: 'call' | 'create'
  readonly from: Bytes20
  readonly to: Bytes20 | null
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gas: bigint
}

export interface CallResult {
  /** After 'halt', all gas is consumed. */
  readonly status: 'success' | 'revert' | 'halt'
  readonly gasLeft: bigint
  readonly output: Uint8Array
  readonly created: Bytes20 | null
  readonly gasRefund: bigint
  readonly error: string | null
}

export type Checkpoint = number

export interface BlockSession {
  readonly env: BlockEnv
  exists(address: Bytes20): boolean
  balance(address: Bytes20): bigint
  /** Touches the account even for zero wei (EIP-161). */
  addBalance(address: Bytes20, wei: bigint): void
  subBalance(address: Bytes20, wei: bigint): void
  setBalance(address: Bytes20, wei: bigint): void
  nonce(address: Bytes20): bigint
  setNonce(address: Bytes20, nonce: bigint): void
  code(address: Bytes20): Uint8Array
  codeHash(address: Bytes20): Bytes32
  /** Empty `code` clears an EIP-7702 delegation. */
  setCode(address: Bytes20, code: Uint8Array): void
  storage(address: Bytes20, slot: Bytes32): Bytes32
  setStorage(address: Bytes20, slot: Bytes32, value: Bytes32): void
  clearStorage(address: Bytes20): void
  checkpoint(): Checkpoint
  revertTo(checkpoint: Checkpoint): void
  beginTx(tx: TransactionEnv): void
  warm(address: Bytes20): void
  call(message: Message): CallResult
  logs(): readonly Log[]
  /** EIP-161 */
  endTx(): { readonly logs: readonly Log[]; readonly selfDestructs: readonly Bytes20[] }
  abandonTx(): void
  /** Includes reverted accesses, but addresses that are warm anyway only with slots. */
  accessed(): AccessList
  takeDiff(): StateDiff
}

export interface PrecompileChanges {
  readonly removed: readonly Bytes20[]
  readonly moved: readonly { readonly from: Bytes20; readonly to: Bytes20 }[]
}

export interface SessionOptions {
  /** A getter is read before each outermost call. */
  readonly tracer?: EvmTracer | null
  readonly precompileChanges?: PrecompileChanges
  readonly unlimitedCodeSize?: boolean
}

export interface EvmEngine {
  readonly name: 'wasm' | 'wasm-interpreter'
  open(view: StateView, env: BlockEnv, rules: BlockRules, options?: SessionOptions): BlockSession
  precompiles(rules: BlockRules): readonly Bytes20[]
}
