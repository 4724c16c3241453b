/** Builds or validates a block, for OP and L1 rules. */
import {
  BLOOM_BYTES,
  type Bytes20,
  type DepositTransaction,
  EMPTY_REQUESTS_HASH,
  effectiveGasPriceWei,
  hexToBytes,
  isDeposit,
  logsBloom,
  mergeBloom,
  type Receipt,
  type SignedTransaction,
  type Transaction,
  TX_BLOB,
} from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import { GAS_PER_BLOB } from '../fees/blob-fee.ts'
import { daFootprint } from '../fees/l1-cost.ts'
import { l1FeeDetails } from '../fees/l1-fee-details.ts'
import { createAddress } from '../tx/contract-address.ts'
import { executeDeposit } from '../tx/execute-deposit.ts'
import { checkTransaction, executeTransaction } from '../tx/execute-transaction.ts'
import { createExecutionContext, type ExecutedTx } from '../tx/execution-context.ts'
import type { RejectedTx } from '../tx/rejection.ts'
import { rejected } from '../tx/validate-transaction.ts'
import { createBlockEnv } from './block-env.ts'
import type { BlockResult, IncludedTx, OpenBlock, OpenBlockOptions, TxResult } from './block-types.ts'
import { moveDaoBalances } from './dao-fork.ts'
import { collectRequests, MAINNET_DEPOSIT_CONTRACT, requestsHash } from './requests.ts'
import { payRewards, payWithdrawals } from './rewards.ts'
import { BEACON_ROOTS_BYTES, HISTORY_STORAGE_BYTES, systemCall } from './system-calls.ts'

interface DataUse {
  readonly footprint: bigint
  readonly blobGas: bigint
}
const NO_DATA: DataUse = { footprint: 0n, blobGas: 0n }

export function openBlock(options: OpenBlockOptions): OpenBlock {
  const { header, rules, crypto } = options
  const session = options.engine.open(options.view, createBlockEnv(options), rules, options.session)
  const context = createExecutionContext(session, rules, crypto)
  const receipts: Receipt[] = []
  const included: IncludedTx[] = []
  const bloom = new Uint8Array(BLOOM_BYTES)
  let gasUsed = 0n
  let blobGasUsed = 0n
  let tipsWei = 0n
  let finished = false

  function dataUse(tx: SignedTransaction): DataUse {
    const values = context.l1Values()
    return {
      footprint: values === null ? 0n : daFootprint(tx.raw, rules, values),
      blobGas: tx.type === TX_BLOB ? GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length) : 0n,
    }
  }

  function checkLimits(gasLimit: bigint, use: DataUse): RejectedTx | null {
    const gasLeft = header.gasLimit - gasUsed
    if (gasLimit > gasLeft) return rejected('block-gas-limit', `gas limit ${gasLimit} is above the ${gasLeft} gas left in the block`)
    if (use.footprint > header.gasLimit - blobGasUsed) {
      return rejected('da-footprint-limit', `DA footprint ${use.footprint} is above the ${header.gasLimit - blobGasUsed} left in the block`)
    }
    const mostBlobGas = GAS_PER_BLOB * BigInt(rules.blobParameters?.max ?? 0)
    if (use.blobGas > 0n && blobGasUsed + use.blobGas > mostBlobGas) {
      return rejected('blob-gas-limit', `${use.blobGas} blob gas on top of ${blobGasUsed} is above ${mostBlobGas}, the most for a block`)
    }
    return null
  }

  async function applyDeposit(tx: DepositTransaction): Promise<TxResult> {
    if (rules.chain !== 'op') return rejected('type-not-supported', 'deposits exist on OP chains only')
    const unmetered = tx.isSystemTx && !rules.depositGasMetered
    const full = unmetered ? null : checkLimits(tx.gasLimit, NO_DATA)
    if (full !== null) return full
    const nonce = session.nonce(tx.from)
    const executed = await executeDeposit(context, tx)
    return include(tx, tx.from, nonce, executed, NO_DATA, 0n)
  }

  async function applyUserTransaction(tx: SignedTransaction, sender: Bytes20): Promise<TxResult> {
    const problem = checkTransaction(context, tx, sender)
    if (problem !== null) return problem
    const use = dataUse(tx)
    const full = checkLimits(tx.gasLimit, use)
    if (full !== null) return full
    const priceWei = effectiveGasPriceWei(tx, session.env.baseFeeWei)
    return include(tx, sender, tx.nonce, await executeTransaction(context, tx, sender), use, priceWei)
  }

  function include(tx: Transaction, sender: Bytes20, nonce: bigint, executed: ExecutedTx, use: DataUse, priceWei: bigint): IncludedTx {
    const { logs } = session.endTx()
    gasUsed += executed.gasUsed
    blobGasUsed += use.footprint + use.blobGas
    tipsWei += executed.tipWei
    const receipt: Receipt = {
      type: tx.type,
      outcome: outcome(executed),
      cumulativeGasUsed: gasUsed,
      logsBloom: logsBloom(logs),
      logs,
      depositNonce: isDeposit(tx) && rules.depositReceiptNonce ? nonce : null,
      depositReceiptVersion: isDeposit(tx) && rules.depositReceiptVersion ? 1n : null,
    }
    mergeBloom(bloom, receipt.logsBloom)
    receipts.push(receipt)
    const values = isDeposit(tx) ? null : context.l1Values()
    const done: IncludedTx = {
      kind: 'included',
      receipt,
      gasUsed: executed.gasUsed,
      effectiveGasPriceWei: priceWei,
      tipWei: executed.tipWei,
      contractAddress: tx.to === null ? createAddress(sender, nonce) : null,
      l1Fee: values === null ? null : l1FeeDetails(tx.raw, rules, values),
      blobGasUsed: use.blobGas,
      output: executed.output,
      error: executed.error,
    }
    included.push(done)
    return done
  }

  function outcome(executed: ExecutedTx): Receipt['outcome'] {
    if (rules.receiptOutcome === 'status') return { status: executed.status === 'success' ? 1 : 0 }
    if (options.rootOf === undefined)
      throw new EvmError('evm/misuse', 'receipts of this fork hold a state root; expected the rootOf option')
    return { root: options.rootOf(session.takeDiff()) }
  }

  function assertOpen(): void {
    if (finished) throw new EvmError('evm/misuse', `block ${header.number} is finished and accepts no more changes`)
  }

  return {
    rules,
    session,
    get gasLeft() {
      return header.gasLimit - gasUsed
    },
    get gasUsed() {
      return gasUsed
    },
    get blobGasUsed() {
      return blobGasUsed
    },
    async applySystemCalls() {
      assertOpen()
      for (const { address, code } of options.transition?.irregularCode ?? []) session.setCode(hexToBytes(address), code)
      if (options.movesDaoBalances === true) moveDaoBalances(session)
      session.endTx()
      if (rules.parentBeaconRoot && header.parentBeaconBlockRoot !== null) {
        await systemCall(session, BEACON_ROOTS_BYTES, hexToBytes(header.parentBeaconBlockRoot))
      }
      if (rules.historyContract) await systemCall(session, HISTORY_STORAGE_BYTES, hexToBytes(header.parentHash))
    },
    async applyTransaction(tx, sender) {
      assertOpen()
      return isDeposit(tx) ? applyDeposit(tx) : applyUserTransaction(tx, sender)
    },
    abandonTransaction() {
      assertOpen()
      session.abandonTx()
    },
    async finish(): Promise<BlockResult> {
      assertOpen()
      finished = true
      if (rules.withdrawals === 'list') payWithdrawals(session, options.withdrawals ?? [])
      payRewards(session, rules.blockRewardWei, header.number, options.ommers ?? [])
      session.endTx()
      const requests =
        rules.requests === 'list' ? await collectRequests(session, receipts, options.depositContract ?? MAINNET_DEPOSIT_CONTRACT) : []
      return {
        diff: session.takeDiff(),
        receipts,
        transactions: included,
        gasUsed,
        logsBloom: bloom,
        blobGasUsed: rules.blobFields ? blobGasUsed : null,
        requestsHash:
          rules.requests === 'absent' ? null : rules.requests === 'empty' ? EMPTY_REQUESTS_HASH : requestsHash(requests, crypto),
        requests,
        tipsWei,
      }
    },
  }
}
