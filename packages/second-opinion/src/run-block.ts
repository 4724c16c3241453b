import { Address, hexToBytes } from '@ethereumjs/util'
import type { BlockTransition } from '@keelson/chainspec'
import { BEACON_ROOTS, HISTORY_STORAGE, SYSTEM_CALLER } from './addresses.ts'
import { invalidBlock } from './errors.ts'
import { type Executor, settleCall } from './executor.ts'
import { encodeReceipt, logsBloom } from './receipts.ts'
import { decodeDeposit, isDeposit } from './transactions/deposit.ts'
import { POST_EXEC_TYPE, refundsIn } from './transactions/post-exec.ts'
import { runDeposit } from './transactions/run-deposit.ts'
import { type ExecutedUserTransaction, runTransaction } from './transactions/run-transaction.ts'

export interface BlockOutcome {
  readonly gasUsed: bigint
  /** Measured in gas; zero before Jovian. */
  readonly daFootprint: bigint
  readonly receipts: readonly Uint8Array[]
  readonly logsBloom: Uint8Array
}

const SYSTEM_CALL_GAS = 30_000_000n

/** EIPs 4788 and 2935, and code that a fork sets (Canyon). */
export async function beginBlock(executor: Executor, transition: BlockTransition | null): Promise<void> {
  const { state, rules, block } = executor
  for (const { address, code } of transition?.irregularCode ?? []) await state.putCode(new Address(hexToBytes(address)), code)
  const beaconRoot = block.header.parentBeaconBlockRoot
  if (rules.parentBeaconRoot && beaconRoot !== undefined) await systemCall(executor, BEACON_ROOTS, beaconRoot)
  if (rules.historyContract) await systemCall(executor, HISTORY_STORAGE, block.header.parentHash)
}

async function systemCall(executor: Executor, to: Address, data: Uint8Array): Promise<void> {
  const { evm } = executor.vm
  const call = { block: executor.block, caller: SYSTEM_CALLER, to, data, gasLimit: SYSTEM_CALL_GAS, gasPrice: 0n, skipNonceIncrement: true }
  await executor.state.ignoring(SYSTEM_CALLER, async () => {
    const { execResult } = await evm.runCall(call)
    await settleCall(executor, execResult)
  })
}

export async function runTransactions(executor: Executor, transactions: readonly Uint8Array[]): Promise<BlockOutcome> {
  const { gasLimit } = executor.block.header
  const bloom = logsBloom([])
  const receipts: Uint8Array[] = []
  const refunds = refundsIn(transactions, executor.block.header.number, executor.rules.postExecTransactions)
  let gasUsed = 0n
  /** Refunds leave no room for more execution. */
  let executedGas = 0n
  let daFootprint = 0n
  for (const [index, raw] of transactions.entries()) {
    const executed = await runOne(executor, raw, gasLimit - executedGas, refunds.get(index) ?? 0n)
    executor.assertKzg()
    gasUsed += executed.gasUsed
    executedGas += executed.executedGas
    daFootprint += executed.daFootprintGas
    receipts.push(encodeReceipt(raw, executed, gasUsed, executor.rules))
    bloom.or(logsBloom(executed.logs))
  }
  if (daFootprint > gasLimit) throw invalidBlock(`the DA footprint of ${daFootprint} is above the block's gas limit of ${gasLimit}`)
  return { gasUsed, daFootprint, receipts, logsBloom: bloom.bitvector }
}

/** A post-execution transaction runs no code and uses no gas. specs: protocol/lagoon/post-exec.md#receipt */
const NOTHING_EXECUTED: ExecutedUserTransaction = {
  gasUsed: 0n,
  executedGas: 0n,
  succeeded: true,
  logs: [],
  depositNonce: null,
  daFootprintGas: 0n,
}

async function runOne(executor: Executor, raw: Uint8Array, gasLeft: bigint, refund: bigint): Promise<ExecutedUserTransaction> {
  if (raw[0] === POST_EXEC_TYPE) return NOTHING_EXECUTED
  if (!isDeposit(raw)) return runTransaction(executor, raw, gasLeft, refund)
  const deposit = decodeDeposit(raw)
  // Before Regolith, a system transaction does not count against the block's gas.
  const metered = executor.rules.depositGasMetered || !deposit.isSystem
  if (metered && deposit.gasLimit > gasLeft)
    throw invalidBlock(`a deposit's gas limit of ${deposit.gasLimit} is above the ${gasLeft} gas left in the block`)
  const executed = await runDeposit(executor, deposit)
  return { ...executed, executedGas: executed.gasUsed, daFootprintGas: 0n }
}
