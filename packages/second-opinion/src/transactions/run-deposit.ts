/**
 * A failed deposit stays in the block; only its mint and nonce take effect. specs: protocol/deposits.md#execution,
 * protocol/regolith/overview.md
 */
import type { ExecResult } from '@ethereumjs/evm'
import { bytesToUnprefixedHex } from '@ethereumjs/util'
import { type Executor, settleCall } from '../executor.ts'
import type { ExecutedTransaction } from '../receipts.ts'
import type { Deposit } from './deposit.ts'

const TRANSACTION_GAS = 21_000n
const CREATE_GAS = 32_000n
const ZERO_BYTE_GAS = 4n
const BYTE_GAS = 16n
const INIT_CODE_WORD_GAS = 2n
const FLOOR_GAS_PER_TOKEN = 10n
const MAX_INIT_CODE_BYTES = 49_152
const REFUND_QUOTIENT = 5n

export async function runDeposit(executor: Executor, deposit: Deposit): Promise<ExecutedTransaction> {
  const { state, rules } = executor
  const nonce = (await state.getAccount(deposit.from))?.nonce ?? 0n
  await state.addBalance(deposit.from, deposit.mint)
  const unmetered = deposit.isSystem && !rules.depositGasMetered
  const unmeteredGas = unmetered ? 0n : deposit.gasLimit
  const price = priceOf(executor, deposit)
  if (await cannotStart(executor, deposit, price)) {
    await state.modifyAccountFields(deposit.from, { nonce: nonce + 1n })
    await settleCall(executor, null)
    return { gasUsed: unmeteredGas, succeeded: false, logs: [], depositNonce: nonce }
  }
  const result = await call(executor, deposit, deposit.gasLimit - price.intrinsic)
  await settleCall(executor, result)
  const gasUsed = rules.depositGasMetered ? meteredGas(result, price) : unmeteredGas
  return { gasUsed, succeeded: result.exceptionError === undefined, logs: result.logs ?? [], depositNonce: nonce }
}

interface Price {
  readonly intrinsic: bigint
  /** EIP-7623; zero before Prague. */
  readonly floor: bigint
}

function priceOf({ common }: Executor, { to, data }: Deposit): Price {
  const zeros = BigInt(data.filter((byte) => byte === 0).length)
  const others = BigInt(data.length) - zeros
  const initCodeWords = common.isActivatedEIP(3860) ? BigInt(Math.ceil(data.length / 32)) : 0n
  const creation = to === null ? CREATE_GAS + initCodeWords * INIT_CODE_WORD_GAS : 0n
  return {
    intrinsic: TRANSACTION_GAS + creation + zeros * ZERO_BYTE_GAS + others * BYTE_GAS,
    floor: common.isActivatedEIP(7623) ? TRANSACTION_GAS + FLOOR_GAS_PER_TOKEN * (zeros + 4n * others) : 0n,
  }
}

async function cannotStart({ state, rules, common }: Executor, deposit: Deposit, price: Price): Promise<boolean> {
  if (deposit.isSystem && rules.depositGasMetered) return true
  if (deposit.gasLimit < price.intrinsic || deposit.gasLimit < price.floor) return true
  const tooLong = deposit.to === null && common.isActivatedEIP(3860) && deposit.data.length > MAX_INIT_CODE_BYTES
  return tooLong || deposit.value > ((await state.getAccount(deposit.from))?.balance ?? 0n)
}

async function call({ vm, block, common }: Executor, { from, to, value, data }: Deposit, gasLimit: bigint): Promise<ExecResult> {
  const { journal, precompiles } = vm.evm
  await journal.cleanup()
  const warm = [...precompiles.keys(), bytesToUnprefixedHex(from.bytes)]
  if (to !== null) warm.push(bytesToUnprefixedHex(to.bytes))
  if (common.isActivatedEIP(3651)) warm.push(bytesToUnprefixedHex(block.header.coinbase.bytes))
  for (const address of warm) journal.addAlwaysWarmAddress(address)
  const { execResult } = await vm.evm.runCall({ block, caller: from, ...(to === null ? {} : { to }), value, data, gasLimit, gasPrice: 0n })
  return execResult
}

function meteredGas({ executionGasUsed, gasRefund = 0n }: ExecResult, { intrinsic, floor }: Price): bigint {
  const spent = intrinsic + executionGasUsed
  const most = spent / REFUND_QUOTIENT
  const net = spent - (gasRefund < most ? gasRefund : most)
  return net < floor ? floor : net
}
