/**
 * What an EVM engine reads and what it offers. The engine owns the journal: everything above it
 * (transactions, fees, deposits, system calls) changes state only through a `BlockSession`, and the
 * net effect leaves as one `StateDiff`.
 */
import type { BlockRules } from '@keelson/chainspec'
import type { AccessList, Account, Bytes20, Bytes32, Log, StateDiff } from '@keelson/primitives'
import type { EvmTracer } from './tracer.ts'

/**
 * State before the block. Synchronous; an implementation that does not hold a value throws `StateMiss`,
 * and its owner loads the value and executes again.
 */
export interface StateView {
  /** Null when there is no such account. */
  account(address: Bytes20): Account | null
  /** 32 bytes, zero when never written. */
  storage(address: Bytes20, slot: Bytes32): Bytes32
  /** Never asked for the hash of empty code. */
  code(codeHash: Bytes32): Uint8Array
}

/** The block as opcodes see it. Numbers are bigint because public tests go to 2^63. */
export interface BlockEnv {
  readonly chainId: bigint
  readonly number: bigint
  readonly timestampSec: bigint
  readonly gasLimit: bigint
  /** Zero before London. */
  readonly baseFeeWei: bigint
  readonly feeRecipient: Bytes20
  /** PREVRANDAO; before Paris unused. */
  readonly prevRandao: Bytes32
  /** Before Paris; zero after. */
  readonly difficulty: bigint
  /** Always 1 on OP chains. */
  readonly blobBaseFeeWei: bigint
  /** Hash of one of the 256 blocks before this one; null when not known, which BLOCKHASH shows as zero. */
  blockHash(number: bigint): Bytes32 | null
}

/** What stays the same for all calls of one transaction. */
export interface TransactionEnv {
  readonly origin: Bytes20
  readonly gasPriceWei: bigint
  readonly blobVersionedHashes: readonly Bytes32[]
  /** Warm from the start, besides precompiles (EIP-2929, 2930, 3651). */
  readonly warmAddresses: readonly Bytes20[]
  readonly accessList: AccessList
  /** A call by the protocol: the account of `origin` is neither read nor changed (witnesses do not hold it). */
  readonly system?: boolean
}

export interface Message {
  readonly kind: 'call' | 'create'
  readonly from: Bytes20
  /** Null exactly when creating. */
  readonly to: Bytes20 | null
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gas: bigint
}

export interface CallResult {
  /** 'halt' took all gas: an invalid opcode, a lack of gas, a stack fault. */
  readonly status: 'success' | 'revert' | 'halt'
  readonly gasLeft: bigint
  readonly output: Uint8Array
  /** Address of the new contract; null for calls and failures. */
  readonly created: Bytes20 | null
  /** Refund counter, before the cap; zero unless successful. */
  readonly gasRefund: bigint
  /** The engine's words for a failure, for people only. */
  readonly error: string | null
}

/** Index into the journal, given by `checkpoint`; valid until the transaction ends. */
export type Checkpoint = number

/**
 * One block being executed. Accounts that do not exist read as zero. Between `beginTx` and `endTx`
 * every change is journaled and can be undone to a checkpoint.
 */
export interface BlockSession {
  readonly env: BlockEnv
  /** Exists, in the sense of the state trie. */
  exists(address: Bytes20): boolean
  balance(address: Bytes20): bigint
  /** Touches the account even when `wei` is zero (EIP-161). */
  addBalance(address: Bytes20, wei: bigint): void
  /** The caller has checked that the balance suffices; throws EvmError `evm/balance-underflow` otherwise. */
  subBalance(address: Bytes20, wei: bigint): void
  setBalance(address: Bytes20, wei: bigint): void
  nonce(address: Bytes20): bigint
  setNonce(address: Bytes20, nonce: bigint): void
  /** Empty when there is none. */
  code(address: Bytes20): Uint8Array
  codeHash(address: Bytes20): Bytes32
  /** Empty `code` removes (a cleared EIP-7702 delegation). */
  setCode(address: Bytes20, code: Uint8Array): void
  storage(address: Bytes20, slot: Bytes32): Bytes32
  setStorage(address: Bytes20, slot: Bytes32, value: Bytes32): void
  clearStorage(address: Bytes20): void
  checkpoint(): Checkpoint
  revertTo(checkpoint: Checkpoint): void
  /** Starts a transaction: warm sets, transient storage, logs and refunds are new. */
  beginTx(tx: TransactionEnv): void
  /** Makes an address warm for the running transaction without a charge. */
  warm(address: Bytes20): void
  /** The outermost message call of the running transaction, with everything it calls. A promise only where the engine is asynchronous; then nothing else may use the session until it settles. */
  call(message: Message): CallResult | Promise<CallResult>
  /** Logs of the running transaction so far, in order. */
  logs(): readonly Log[]
  /** Removes destroyed and (EIP-161) touched empty accounts; no checkpoint is valid afterwards. */
  endTx(): { readonly logs: readonly Log[]; readonly selfDestructs: readonly Bytes20[] }
  /** Ends a transaction whose call will never settle, because a tracer's pause does not; nothing of it remains. */
  abandonTx(): void
  /**
   * The access list (EIP-2930) that makes every access of the running transaction warm: its own list and the accesses that
   * were cold so far, including those of reverted frames. Addresses that are warm without a list appear only with their slots.
   */
  accessed(): AccessList
  /** Net change since the session opened, values that are back at their start left out. May be called between transactions. */
  takeDiff(): StateDiff
}

/** Where precompiles are not what the rules say. */
export interface PrecompileChanges {
  readonly removed: readonly Bytes20[]
  readonly moved: readonly { readonly from: Bytes20; readonly to: Bytes20 }[]
}

export interface SessionOptions {
  /** Told about every step and frame; costs much, so only for traces. Read before each outermost call: a getter traces some transactions of a block. */
  readonly tracer?: EvmTracer | null
  readonly precompileChanges?: PrecompileChanges
  /** Lifts the limits on code and init code size, as `eth_call` with overrides wants. */
  readonly unlimitedCodeSize?: boolean
}

export interface EvmEngine {
  readonly name: 'reference' | 'wasm' | 'wasm-interpreter'
  open(view: StateView, env: BlockEnv, rules: BlockRules, options?: SessionOptions): BlockSession
  /** Addresses of the precompiles under these rules, warm from the start of each transaction. */
  precompiles(rules: BlockRules): readonly Bytes20[]
}
