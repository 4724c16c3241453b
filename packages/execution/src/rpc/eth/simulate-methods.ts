import { type BlockRules, ethParameters } from '@keelson/chainspec'
import {
  applyStateOverrides,
  createViewOverlay,
  decodeRevertReason,
  expectedExcessBlobGas,
  nextBaseFeeWei,
  openSimulatedBlock,
  precompileChanges,
  type RejectedTx,
  type SimulatedTotals,
  type SimulatedTxResult,
  type TxRejection,
  type ViewOverlay,
} from '@keelson/evm'
import {
  type Block,
  type Bytes20,
  bytesToHex,
  EMPTY_OMMERS_HASH,
  EMPTY_TRIE_ROOT,
  encodeReceipt,
  encodeWithdrawal,
  formatData,
  formatQuantity,
  type Hash,
  type Header,
  hashHeader,
  mergeBloom,
  orderedListRoot,
  type SignedTransaction,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { RPC_ERROR_NUMBERS, RpcError } from '@keelson/runtime'
import type { ComputedState, SuccessiveRoots } from '@keelson/state'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import { messagePasserRoot } from '../../import/execute-checked.ts'
import { blockToJson, type Json, logToJson } from '../block-json.ts'
import { rejectionText, serverError } from '../errors.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { createTraceBudget, type RunningBudget } from '../limits/trace-budget.ts'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { getView } from '../state-view.ts'
import { simulatedCall } from './call-request.ts'
import { type PlannedBlock, parseSimulateRequest, planBlocks, SIMULATE_ERRORS, type SimulateRequest } from './simulate-request.ts'
import { simulatedTransaction, simulatedTransactionToJson } from './simulated-transaction.ts'

const VM_ERROR = -32015
const RESULT_BYTES = 1_500

interface CallOutcome {
  readonly from: Bytes20
  readonly transaction: SignedTransaction
  readonly result: SimulatedTxResult
}

interface Run {
  readonly base: SealedHeader
  readonly request: SimulateRequest
  readonly overlay: ViewOverlay
  readonly roots: SuccessiveRoots
  readonly budget: RunningBudget
  readonly headers: Map<number, SealedHeader>
  gasLeft: bigint
}

export function simulateMethods(deps: ReadDependencies): Pick<ReadMethods, 'eth_simulateV1'> {
  const { chain, options } = deps
  return {
    async eth_simulateV1(params, context) {
      const request = argument(params, 0, parseSimulateRequest)
      const base = getBlock(chain, optionalArgument(params, 1, LATEST, parseBlockSelector))
      const blocks = planBlocks(request.blocks, base.header)
      const bounds = { timeoutMs: options.traceTimeoutMs, maxBytes: options.maxTraceBytes, signal: context.signal }
      if (!deps.state.hasState(base.hash)) throw noStateTree(base)
      const run: Run = {
        base,
        request,
        roots: deps.state.successiveRoots(base.hash),
        overlay: createViewOverlay(getView(chain, deps.state, base)),
        budget: createTraceBudget(deps.clock, bounds),
        headers: new Map(),
        gasLeft: options.callGasCap,
      }
      const results: Json[] = []
      let parent = base
      for (const block of blocks) {
        const done = await simulateBlock(deps, run, block, parent)
        parent = done.sealed
        run.headers.set(parent.header.number, parent)
        results.push(done.json)
      }
      return results
    },
  }
}

async function simulateBlock(deps: ReadDependencies, run: Run, planned: PlannedBlock, parent: SealedHeader) {
  const { request, budget } = run
  await budget.breathe()
  const overlay = createViewOverlay(run.overlay)
  const rules = deps.rules.rulesAt(planned)
  const skeleton = preliminaryHeader(planned, parent, rules, request.validates)
  const changes = precompileChanges(planned.stateOverrides, deps.evm.precompiles(rules))
  if (typeof changes === 'string') throw serverError(changes)
  applyStateOverrides(overlay, planned.stateOverrides)
  const { blobBaseFeeWei, withdrawals } = planned.overrides
  const block = openSimulatedBlock({
    engine: deps.evm,
    overlay,
    header: skeleton,
    rules,
    chainId: deps.chainId,
    crypto: deps.crypto,
    blockHash: (number) => run.headers.get(number)?.hash ?? deps.chain.ancestorHash(run.base, number),
    env: blobBaseFeeWei === null ? {} : { blobBaseFeeWei },
    precompileChanges: changes,
    withdrawals: withdrawals ?? [],
    validates: request.validates,
    showTransfers: request.showTransfers,
    stop: () => budget.stop(),
  })
  const outcomes: CallOutcome[] = []
  for (const call of planned.calls) {
    await budget.breathe()
    const gasLimit = call.gas ?? block.gasLeft
    if (gasLimit > block.gasLeft) {
      throw new RpcError(SIMULATE_ERRORS.blockGasLimit, `block gas limit reached: remaining: ${block.gasLeft}, required: ${gasLimit}`)
    }
    const granted = gasLimit < run.gasLeft ? gasLimit : run.gasLeft
    const nonce = call.nonce ?? block.session.nonce(call.from)
    const { tx } = simulatedCall(call, granted, nonce, deps.chainId, rules)
    const result = await block.call(call.from, tx)
    if ('reason' in result) throw refusal(result, granted)
    run.gasLeft -= result.gasUsed
    budget.spend(RESULT_BYTES + 2 * result.output.length + result.logs.reduce((sum, { log }) => sum + 500 + 2 * log.data.length, 0))
    outcomes.push({ from: call.from, transaction: simulatedTransaction(tx), result })
  }
  const totals = block.finish()
  const diff = overlay.diff()
  run.overlay.apply(diff)
  return sealSimulated(run, planned, rules, { ...skeleton, ...FIXED }, totals, outcomes, run.roots.next(diff))
}

/** The specification's error numbers, because clients would retry on -32603. */
function refusal({ reason, message }: RejectedTx, gas: bigint): RpcError {
  const number = REFUSAL_NUMBERS[reason] ?? RPC_ERROR_NUMBERS.server
  return new RpcError(number, `err: ${rejectionText(reason)}: ${message} (supplied gas ${gas})`)
}

const REFUSAL_NUMBERS: Readonly<Partial<Record<TxRejection, number>>> = {
  'nonce-too-low': SIMULATE_ERRORS.nonceTooLow,
  'nonce-too-high': SIMULATE_ERRORS.nonceTooHigh,
  'fee-cap-below-base-fee': SIMULATE_ERRORS.baseFeeTooLow,
  'intrinsic-gas': SIMULATE_ERRORS.intrinsicGas,
  'floor-data-gas': SIMULATE_ERRORS.intrinsicGas,
  'insufficient-funds': SIMULATE_ERRORS.insufficientFunds,
  'init-code-too-large': SIMULATE_ERRORS.initCodeSize,
  'tip-above-fee-cap': RPC_ERROR_NUMBERS.invalidParams,
}

const FIXED = { ommersHash: EMPTY_OMMERS_HASH, nonce: new Uint8Array(8) }

function preliminaryHeader(planned: PlannedBlock, parent: SealedHeader, rules: BlockRules, validates: boolean) {
  const { overrides } = planned
  const { header } = parent
  const derivedBaseFee = () => (validates ? nextBaseFeeWei(header, rules) : 0n)
  const blobs = rules.blobParameters
  const derivedExcess = () =>
    blobs === null || header.excessBlobGas === null
      ? 0n
      : expectedExcessBlobGas(header, blobs, ethParameters(rules.ethFork).blobReservePrice)
  return {
    parentHash: parent.hash,
    number: planned.number,
    timestampSec: planned.timestampSec,
    gasLimit: overrides.gasLimit ?? header.gasLimit,
    feeRecipient: overrides.feeRecipient ?? header.feeRecipient,
    mixHash: overrides.prevRandao === null ? ZERO_HASH : toHash(overrides.prevRandao),
    difficulty: ethParameters(rules.ethFork).proofOfStake ? 0n : (overrides.difficulty ?? header.difficulty),
    baseFeeWei: rules.feeSink === 'miner' ? null : (overrides.baseFeeWei ?? derivedBaseFee()),
    parentBeaconBlockRoot: rules.parentBeaconRoot ? (overrides.parentBeaconBlockRoot ?? ZERO_HASH) : null,
    excessBlobGas: rules.blobFields ? derivedExcess() : null,
    // The next block's base fee depends on it.
    extraData: rules.extraDataVersion === null ? new Uint8Array(0) : header.extraData,
  }
}

type Preliminary = ReturnType<typeof preliminaryHeader> & typeof FIXED

function sealSimulated(
  run: Run,
  planned: PlannedBlock,
  rules: BlockRules,
  preliminary: Preliminary,
  totals: SimulatedTotals,
  outcomes: readonly CallOutcome[],
  computed: ComputedState,
): { readonly sealed: SealedHeader; readonly json: Json } {
  const withdrawals = planned.overrides.withdrawals ?? []
  const transactions = outcomes.map(({ transaction }) => transaction)
  const logsBloom = new Uint8Array(256)
  for (const { receipt } of outcomes.map(({ result }) => result)) mergeBloom(logsBloom, receipt.logsBloom)
  const withdrawalsRoot: Readonly<Record<BlockRules['withdrawals'], () => Hash | null>> = {
    absent: () => null,
    empty: () => EMPTY_TRIE_ROOT,
    list: () => orderedListRoot(withdrawals.map(encodeWithdrawal)),
    'storage-root': () => messagePasserRoot(computed),
  }
  const header: Header = {
    ...preliminary,
    stateRoot: toHash(computed.root),
    transactionsRoot: orderedListRoot(transactions.map((tx) => tx.raw)),
    receiptsRoot: orderedListRoot(totals.receipts.map(encodeReceipt)),
    logsBloom,
    gasUsed: totals.gasUsed,
    withdrawalsRoot: withdrawalsRoot[rules.withdrawals](),
    blobGasUsed: rules.blobFields ? totals.blobGasUsed : null,
    requestsHash: totals.requestsHash,
    blockAccessListHash: null,
    slotNumber: null,
  }
  const hash = hashHeader(header)
  const block: Block = { hash, header, transactions, withdrawals: rules.withdrawals === 'absent' ? null : withdrawals }
  const full = outcomes.map(({ transaction, from }, index) => simulatedTransactionToJson(transaction, from, block, index))
  const json: Json = {
    ...blockToJson(block, null),
    ...(run.request.fullTransactions ? { transactions: full } : {}),
    calls: outcomes.map(({ transaction, result }, index) => callToJson(result, block, transaction.hash, index)),
  }
  return { sealed: { hash, header }, json }
}

function noStateTree({ header }: SealedHeader): RpcError {
  return serverError(`blocks cannot be simulated on block ${header.number}: its state tree is no longer kept; use a newer block`)
}

function callToJson(result: SimulatedTxResult, block: SealedHeader, transactionHash: Hash, transactionIndex: number): Json {
  const { status, output, logs, gasUsed, maxGasUsed } = result
  const { number, timestampSec } = block.header
  const place = { blockHash: block.hash, blockNumber: number, timestampSec, transactionHash, transactionIndex, removed: false }
  return {
    returnData: status === 'success' ? formatData(output) : '0x',
    logs: logs.map(({ log, index }) => logToJson(log, { ...place, logIndex: index })),
    gasUsed: formatQuantity(gasUsed),
    maxUsedGas: formatQuantity(maxGasUsed),
    status: status === 'success' ? '0x1' : '0x0',
    ...(status === 'success' ? {} : { error: callError(result) }),
  }
}

function callError({ status, output, error }: SimulatedTxResult): Json {
  if (status === 'halt') return { message: error ?? 'execution failed', code: VM_ERROR }
  const reason = decodeRevertReason(output)
  const message = reason === null ? 'execution reverted' : `execution reverted: ${reason}`
  return { message, code: RPC_ERROR_NUMBERS.executionReverted, data: bytesToHex(output) }
}
