/** https://github.com/ethereum/execution-apis */
import { type BlockRules, ethParameters } from '@keelson/chainspec'
import {
  BASE_FEE_VAULT,
  type Bytes20,
  type Crypto,
  EMPTY_REQUESTS_HASH,
  effectiveGasPriceWei,
  type Hash,
  hexToBytes,
  logsBloom,
  maxFeePerGasWei,
  type Receipt,
  TX_BLOB,
  TX_SET_CODE,
  type UnsignedTransaction,
  type Withdrawal,
} from '@keelson/primitives'
import { createBlockEnv } from '../block/block-env.ts'
import type { HeaderSkeleton } from '../block/block-types.ts'
import { collectRequests, MAINNET_DEPOSIT_CONTRACT, requestsHash } from '../block/requests.ts'
import { payRewards, payWithdrawals } from '../block/rewards.ts'
import { BEACON_ROOTS_BYTES, HISTORY_STORAGE_BYTES, systemCall } from '../block/system-calls.ts'
import { GAS_PER_BLOB } from '../fees/blob-fee.ts'
import type { BlockEnv, BlockSession, EvmEngine, PrecompileChanges } from '../ports.ts'
import type { EvmTracer } from '../tracer.ts'
import { executeCall } from '../tx/execute-call.ts'
import { createExecutionContext, type ExecutionContext, transactionEnv } from '../tx/execution-context.ts'
import { intrinsicGas } from '../tx/intrinsic-gas.ts'
import type { RejectedTx } from '../tx/rejection.ts'
import { NO_ROLLUP_FEES, validateFees, validateFunds, validateSender, validateTransaction } from '../tx/validate-transaction.ts'
import { createLogCollector, type IndexedLog } from './transfer-log.ts'
import type { ViewOverlay } from './view-overlay.ts'

const BASE_FEE_VAULT_BYTES = hexToBytes(BASE_FEE_VAULT)

export interface SimulatedBlockOptions {
  readonly engine: EvmEngine
  readonly overlay: ViewOverlay
  readonly header: HeaderSkeleton
  readonly rules: BlockRules
  readonly chainId: bigint
  readonly crypto: Crypto
  readonly blockHash: (number: number) => Hash | null
  readonly env: Partial<BlockEnv>
  readonly precompileChanges: PrecompileChanges
  readonly withdrawals: readonly Withdrawal[]
  /** If false, a call without a gas price is free. */
  readonly validates: boolean
  readonly showTransfers: boolean
  readonly stop: Required<EvmTracer>['stop']
}

export interface SimulatedTxResult {
  readonly status: 'success' | 'revert' | 'halt'
  readonly output: Uint8Array
  readonly error: string | null
  readonly gasUsed: bigint
  /** Before the refund. */
  readonly maxGasUsed: bigint
  readonly logs: readonly IndexedLog[]
  readonly receipt: Receipt
}

export interface SimulatedBlock {
  readonly session: BlockSession
  readonly gasLeft: bigint
  call(from: Bytes20, tx: UnsignedTransaction): SimulatedTxResult | RejectedTx
  finish(): SimulatedTotals
}

export interface SimulatedTotals {
  readonly receipts: readonly Receipt[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly requestsHash: Hash | null
}

export function openSimulatedBlock(options: SimulatedBlockOptions): SimulatedBlock {
  const { rules, header, overlay, validates } = options
  const collector = createLogCollector(options.showTransfers)
  let tracer: EvmTracer | null = null
  const session = options.engine.open(overlay, { ...createBlockEnv(options), ...options.env }, rules, {
    precompileChanges: options.precompileChanges,
    get tracer() {
      return tracer
    },
  })
  const context = createExecutionContext(session, rules, options.crypto)
  const receipts: Receipt[] = []
  let gasUsed = 0n
  let blobGasUsed = 0n

  if (rules.parentBeaconRoot && header.parentBeaconBlockRoot !== null) {
    systemCall(session, BEACON_ROOTS_BYTES, hexToBytes(header.parentBeaconBlockRoot))
  }
  if (rules.historyContract) systemCall(session, HISTORY_STORAGE_BYTES, hexToBytes(header.parentHash))

  return {
    session,
    get gasLeft() {
      return header.gasLimit - gasUsed
    },
    call(from, tx) {
      const problem = checkSimulated(context, from, tx, validates)
      if (problem !== null) return problem
      tracer = { ...collector.hooks, stop: options.stop }
      const done = executeSimulated(context, from, tx)
      tracer = null
      const { logs } = session.endTx()
      gasUsed += done.gasUsed
      if (tx.type === TX_BLOB) blobGasUsed += GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length)
      const receipt: Receipt = {
        type: tx.type,
        outcome: { status: done.status === 'success' ? 1 : 0 },
        cumulativeGasUsed: gasUsed,
        logsBloom: logsBloom(logs),
        logs,
        depositNonce: null,
        depositReceiptVersion: null,
      }
      receipts.push(receipt)
      return { ...done, logs: collector.take(), receipt }
    },
    finish() {
      if (rules.withdrawals === 'list') payWithdrawals(session, options.withdrawals)
      payRewards(session, rules.blockRewardWei, header.number, [])
      session.endTx()
      const requests = rules.requests === 'list' ? collectRequests(session, receipts, MAINNET_DEPOSIT_CONTRACT) : []
      overlay.apply(session.takeDiff())
      return {
        receipts,
        gasUsed,
        blobGasUsed,
        requestsHash:
          rules.requests === 'absent' ? null : requests.length === 0 ? EMPTY_REQUESTS_HASH : requestsHash(requests, options.crypto),
      }
    },
  }
}

function checkSimulated(context: ExecutionContext, from: Bytes20, tx: UnsignedTransaction, validates: boolean): RejectedTx | null {
  const { session, rules } = context
  const { baseFeeWei, blobBaseFeeWei } = session.env
  const nonce = session.nonce(from)
  const balanceWei = session.balance(from)
  const free = !validates && maxFeePerGasWei(tx) === 0n
  const account = { nonce, balanceWei, code: new Uint8Array(0) }
  return (
    (validates ? validateSender(tx, account) : null) ??
    (free ? null : validateFees(tx, baseFeeWei, blobBaseFeeWei)) ??
    validateFunds(tx, NO_ROLLUP_FEES, balanceWei) ??
    validateTransaction(tx, { ...rules, maxTransactionGas: null }, context.chainId)
  )
}

function executeSimulated(context: ExecutionContext, from: Bytes20, tx: UnsignedTransaction) {
  const { session, rules } = context
  const { baseFeeWei, blobBaseFeeWei, feeRecipient } = session.env
  const gasPriceWei = effectiveGasPriceWei(tx, baseFeeWei)
  const blobVersionedHashes = tx.type === TX_BLOB ? tx.blobVersionedHashes : []
  const { to, valueWei, data, gasLimit } = tx
  session.beginTx(
    transactionEnv(context, from, to, { gasPriceWei, blobVersionedHashes, accessList: 'accessList' in tx ? tx.accessList : [] }),
  )
  session.subBalance(from, gasLimit * gasPriceWei + blobBaseFeeWei * GAS_PER_BLOB * BigInt(blobVersionedHashes.length))
  const authorizations = tx.type === TX_SET_CODE ? tx.authorizationList : []
  const intrinsic = intrinsicGas(tx, ethParameters(rules.ethFork))
  const result = executeCall(context, { from, to, valueWei, data, gasLimit, authorizations }, intrinsic)
  const { status, output, error, gasUsed } = result
  session.addBalance(from, (gasLimit - gasUsed) * gasPriceWei)
  const tipPerGasWei = rules.feeSink === 'miner' ? gasPriceWei : gasPriceWei > baseFeeWei ? gasPriceWei - baseFeeWei : 0n
  session.addBalance(feeRecipient, tipPerGasWei * gasUsed)
  if (rules.feeSink === 'vaults') session.addBalance(BASE_FEE_VAULT_BYTES, (gasPriceWei - tipPerGasWei) * gasUsed)
  const spent = gasLimit - result.gasLeft
  return { status, output, error, gasUsed, maxGasUsed: spent < intrinsic.floor ? intrinsic.floor : spent }
}
