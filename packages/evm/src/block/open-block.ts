import type { BlockRules } from '@keelson/chainspec'
import {
  BLOOM_BYTES,
  type Bytes20,
  createsContract,
  type DepositTransaction,
  EMPTY_REQUESTS_HASH,
  effectiveGasPriceWei,
  hexToBytes,
  isDeposit,
  isPostExec,
  isSigned,
  logsBloom,
  mergeBloom,
  type PostExecTransaction,
  type Receipt,
  type SignedTransaction,
  type Transaction,
} from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import { l1FeeDetails } from '../fees/l1-fee-details.ts'
import type { BlockSession } from '../ports.ts'
import { createAddress } from '../tx/contract-address.ts'
import { executeDeposit } from '../tx/execute-deposit.ts'
import { checkTransaction, executeTransaction } from '../tx/execute-transaction.ts'
import { createExecutionContext, type ExecutedTx, type ExecutionContext } from '../tx/execution-context.ts'
import { rejected } from '../tx/rejection.ts'
import { createBlockEnv } from './block-env.ts'
import type { BlockResult, IncludedTx, OpenBlock, OpenBlockOptions, TxResult } from './block-types.ts'
import { BlockUsage, type DataUse, NO_DATA } from './block-usage.ts'
import { moveDaoBalances } from './dao-fork.ts'
import { type PostExecPlan, planPostExec } from './post-exec.ts'
import { collectRequests, MAINNET_DEPOSIT_CONTRACT, requestsHash } from './requests.ts'
import { payRewards, payWithdrawals } from './rewards.ts'
import { BEACON_ROOTS_BYTES, HISTORY_STORAGE_BYTES, systemCall } from './system-calls.ts'

export function openBlock(
  options: OpenBlockOptions,
  postExec = planPostExec(options.transactions ?? [], options.header, options.rules),
): OpenBlock {
  return new BlockExecution(options, postExec)
}

const NOTHING_EXECUTED: ExecutedTx = {
  kind: 'executed',
  status: 'success',
  gasUsed: 0n,
  gasRefund: 0n,
  output: new Uint8Array(0),
  created: null,
  error: null,
  tipWei: 0n,
}

class BlockExecution implements OpenBlock {
  readonly rules: BlockRules
  readonly session: BlockSession
  readonly #options: OpenBlockOptions
  readonly #context: ExecutionContext
  readonly #usage: BlockUsage
  readonly #receipts: Receipt[] = []
  readonly #included: IncludedTx[] = []
  readonly #bloom = new Uint8Array(BLOOM_BYTES)
  readonly #postExec: PostExecPlan
  #tipsWei = 0n
  #finished = false

  constructor(options: OpenBlockOptions, postExec: PostExecPlan) {
    const { header, rules, crypto } = options
    this.#options = options
    this.rules = rules
    this.session = options.engine.open(options.view, createBlockEnv(options), rules, options.session)
    this.#context = createExecutionContext(this.session, rules, crypto)
    this.#usage = new BlockUsage(header, rules)
    this.#postExec = postExec
  }

  get gasLeft(): bigint {
    return this.#usage.gasLeft
  }

  get gasUsed(): bigint {
    return this.#usage.gasUsed
  }

  get blobGasUsed(): bigint {
    return this.#usage.blobGasUsed
  }

  applySystemCalls(): void {
    this.#assertOpen()
    const { session, rules } = this
    const { header, transition, movesDaoBalances } = this.#options
    for (const { address, code } of transition?.irregularCode ?? []) session.setCode(hexToBytes(address), code)
    if (movesDaoBalances === true) moveDaoBalances(session)
    session.endTx()
    if (rules.parentBeaconRoot && header.parentBeaconBlockRoot !== null) {
      systemCall(session, BEACON_ROOTS_BYTES, hexToBytes(header.parentBeaconBlockRoot))
    }
    if (rules.historyContract) systemCall(session, HISTORY_STORAGE_BYTES, hexToBytes(header.parentHash))
  }

  applyTransaction(tx: Transaction, sender: Bytes20): TxResult {
    this.#assertOpen()
    const index = this.#receipts.length
    if (this.#postExec.kind === 'refunds' && index > this.#postExec.index) {
      return rejected('post-exec', `transaction ${this.#postExec.index} is a post-execution transaction, which ends its block`)
    }
    if (isPostExec(tx)) return this.#applyPostExec(tx, sender, index)
    return isDeposit(tx) ? this.#applyDeposit(tx) : this.#applyUserTransaction(tx, sender, index)
  }

  abandonTransaction(): void {
    this.#assertOpen()
    this.session.abandonTx()
  }

  finish(): BlockResult {
    this.#assertOpen()
    this.#finished = true
    const { session, rules } = this
    const { header, withdrawals, ommers, depositContract, crypto } = this.#options
    if (rules.withdrawals === 'list') payWithdrawals(session, withdrawals ?? [])
    payRewards(session, rules.blockRewardWei, header.number, ommers ?? [])
    session.endTx()
    const collects = rules.requests === 'list'
    const requests = collects ? collectRequests(session, this.#receipts, depositContract ?? MAINNET_DEPOSIT_CONTRACT) : []
    return {
      diff: session.takeDiff(),
      receipts: this.#receipts,
      transactions: this.#included,
      gasUsed: this.#usage.gasUsed,
      logsBloom: this.#bloom,
      blobGasUsed: rules.blobFields ? this.#usage.blobGasUsed : null,
      requestsHash: rules.requests === 'absent' ? null : rules.requests === 'empty' ? EMPTY_REQUESTS_HASH : requestsHash(requests, crypto),
      requests,
      tipsWei: this.#tipsWei,
    }
  }

  #applyDeposit(tx: DepositTransaction): TxResult {
    if (this.rules.chain !== 'op') return rejected('type-not-supported', 'deposits exist on OP chains only')
    const unmetered = tx.isSystemTx && !this.rules.depositGasMetered
    const full = unmetered ? null : this.#usage.check(tx.gasLimit, NO_DATA)
    if (full !== null) return full
    const nonce = this.session.nonce(tx.from)
    const executed = executeDeposit(this.#context, tx)
    return this.#include(tx, tx.from, nonce, executed, NO_DATA, 0n)
  }

  /** specs: protocol/lagoon/post-exec.md#receipt */
  #applyPostExec(tx: PostExecTransaction, sender: Bytes20, index: number): TxResult {
    const plan = this.#postExec
    if (plan.kind === 'invalid') return plan.rejection
    if (plan.kind === 'none' || plan.index !== index) {
      return rejected('post-exec', 'a post-execution transaction must be known before the transactions that it refunds')
    }
    return this.#include(tx, sender, 0n, NOTHING_EXECUTED, NO_DATA, 0n)
  }

  #applyUserTransaction(tx: SignedTransaction, sender: Bytes20, index: number): TxResult {
    const { transition } = this.#options
    if (transition?.userTransactionsAllowed === false) {
      return rejected('activation-block', `the block that activates ${transition.activates.join(', ')} holds deposits only`)
    }
    const problem = checkTransaction(this.#context, tx, sender)
    if (problem !== null) return problem
    const use = this.#usage.dataUse(tx, this.#context.l1Values())
    const full = this.#usage.check(tx.gasLimit, use)
    if (full !== null) return full
    const priceWei = effectiveGasPriceWei(tx, this.session.env.baseFeeWei)
    const gasRefund = this.#postExec.kind === 'refunds' ? (this.#postExec.gasByIndex.get(index) ?? 0n) : 0n
    const executed = executeTransaction(this.#context, tx, sender, gasRefund)
    if (executed === null) return rejected('post-exec', `the block refunds ${gasRefund} gas, more than the transaction used`)
    return this.#include(tx, sender, tx.nonce, executed, use, priceWei)
  }

  #include(tx: Transaction, sender: Bytes20, nonce: bigint, executed: ExecutedTx, use: DataUse, priceWei: bigint): IncludedTx {
    const { rules } = this
    const { logs } = this.session.endTx()
    this.#usage.add(executed, use)
    this.#tipsWei += executed.tipWei
    const receipt: Receipt = {
      type: tx.type,
      outcome: this.#outcome(executed),
      cumulativeGasUsed: this.#usage.gasUsed,
      logsBloom: logsBloom(logs),
      logs,
      depositNonce: isDeposit(tx) && rules.depositReceiptNonce ? nonce : null,
      depositReceiptVersion: isDeposit(tx) && rules.depositReceiptVersion ? 1n : null,
    }
    mergeBloom(this.#bloom, receipt.logsBloom)
    this.#receipts.push(receipt)
    const values = isSigned(tx) ? this.#context.l1Values() : null
    const done: IncludedTx = {
      kind: 'included',
      receipt,
      gasUsed: executed.gasUsed,
      effectiveGasPriceWei: priceWei,
      tipWei: executed.tipWei,
      contractAddress: createsContract(tx) ? createAddress(sender, nonce) : null,
      l1Fee: values === null ? null : l1FeeDetails(tx.raw, rules, values),
      blobGasUsed: use.blobGas,
      output: executed.output,
      error: executed.error,
    }
    this.#included.push(done)
    return done
  }

  #outcome(executed: ExecutedTx): Receipt['outcome'] {
    if (this.rules.receiptOutcome === 'status') return { status: executed.status === 'success' ? 1 : 0 }
    const { rootOf } = this.#options
    if (rootOf === undefined) throw new EvmError('evm/misuse', 'receipts of this fork hold a state root; expected the rootOf option')
    return { root: rootOf(this.session.takeDiff()) }
  }

  #assertOpen(): void {
    if (this.#finished) {
      throw new EvmError('evm/misuse', `block ${this.#options.header.number} is finished and accepts no more changes`)
    }
  }
}
