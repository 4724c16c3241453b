import { type BlockRules, ethParameters } from '@keelson/chainspec'
import { EvmError } from '../errors.ts'
import type { BlockEnv, Message, TransactionEnv } from '../ports.ts'
import type { CoreInstance } from './core-instance.ts'
import { forkTableKey, writeForkTable } from './fork-table.ts'
import {
  BLOB_HASHES,
  CONTEXT,
  CONTEXT_BASE_FEE,
  CONTEXT_BLOB_BASE_FEE,
  CONTEXT_BLOB_HASH_COUNT,
  CONTEXT_CHAIN_ID,
  CONTEXT_FEE_RECIPIENT,
  CONTEXT_GAS_LIMIT,
  CONTEXT_GAS_PRICE,
  CONTEXT_NUMBER,
  CONTEXT_ORIGIN,
  CONTEXT_PREV_RANDAO,
  CONTEXT_TIMESTAMP,
  KIND_CALL,
  KIND_CREATE,
  MAX_BLOB_HASHES,
  MEMORY,
  MEMORY_LIMIT,
  MESSAGE_FROM,
  MESSAGE_GAS,
  MESSAGE_INPUT_LENGTH,
  MESSAGE_KIND,
  MESSAGE_TO,
  MESSAGE_VALUE,
  OPCODE_TABLE,
  OPCODE_TABLE_BYTES,
  PARAM_HOST_WARM_SLOTS,
  PARAM_POLL_INTERVAL,
  PARAM_TRACED,
} from './layout.ts'

export interface ContextOwner {
  readonly env: BlockEnv
  readonly rules: BlockRules
  readonly unlimitedCodeSize: boolean
}

const WORD_BYTES = 32
const JUMPS_PER_POLL = 0x4000
/** The core counts gas as i64. */
export const MAX_GAS = 2n ** 63n - 1n

export function writeBlock(core: CoreInstance, { env, rules, unlimitedCodeSize }: ContextOwner): void {
  const { memory } = core
  const key = forkTableKey(rules, unlimitedCodeSize)
  if (core.forkTable !== key) {
    writeForkTable(memory, rules, unlimitedCodeSize)
    core.forkTable = key
    core.hotCode?.useSchedule(memory.copy(OPCODE_TABLE, OPCODE_TABLE_BYTES))
  }
  memory.setAddress(CONTEXT + CONTEXT_FEE_RECIPIENT, env.feeRecipient)
  memory.setNumber(CONTEXT + CONTEXT_TIMESTAMP, env.timestampSec)
  memory.setNumber(CONTEXT + CONTEXT_NUMBER, env.number)
  if (ethParameters(rules.ethFork).proofOfStake) memory.setWord(CONTEXT + CONTEXT_PREV_RANDAO, env.prevRandao)
  else memory.setNumber(CONTEXT + CONTEXT_PREV_RANDAO, env.difficulty)
  memory.setNumber(CONTEXT + CONTEXT_GAS_LIMIT, env.gasLimit)
  memory.setNumber(CONTEXT + CONTEXT_CHAIN_ID, env.chainId)
  memory.setNumber(CONTEXT + CONTEXT_BASE_FEE, env.baseFeeWei)
  memory.setNumber(CONTEXT + CONTEXT_BLOB_BASE_FEE, env.blobBaseFeeWei)
  memory.setU32(CONTEXT + PARAM_POLL_INTERVAL, JUMPS_PER_POLL)
}

export function writeTransaction({ memory }: CoreInstance, tx: TransactionEnv, hasSlots: boolean, reports: number): void {
  memory.setAddress(CONTEXT + CONTEXT_ORIGIN, tx.origin)
  memory.setNumber(CONTEXT + CONTEXT_GAS_PRICE, tx.gasPriceWei)
  const { length } = tx.blobVersionedHashes
  if (length > MAX_BLOB_HASHES) {
    throw new EvmError('evm/misuse', `a transaction has ${length} blob hashes; the engine takes at most ${MAX_BLOB_HASHES}`)
  }
  memory.setU32(CONTEXT + CONTEXT_BLOB_HASH_COUNT, length)
  for (const [i, hash] of tx.blobVersionedHashes.entries()) memory.setWord(BLOB_HASHES + WORD_BYTES * i, hash)
  memory.setU32(CONTEXT + PARAM_HOST_WARM_SLOTS, Number(hasSlots))
  memory.setU32(CONTEXT + PARAM_TRACED, reports)
}

export function writeMessage({ memory, exports }: CoreInstance, { kind, from, to, valueWei, data, gas }: Message): void {
  if (data.length > MEMORY_LIMIT - MEMORY) throw new EvmError('evm/limit', `a call has ${data.length} bytes of data, which is too much`)
  memory.setU32(CONTEXT + MESSAGE_KIND, kind === 'create' ? KIND_CREATE : KIND_CALL)
  memory.view.setBigInt64(CONTEXT + MESSAGE_GAS, gas > MAX_GAS ? MAX_GAS : gas, true)
  memory.setAddress(CONTEXT + MESSAGE_FROM, from)
  if (to !== null) memory.setAddress(CONTEXT + MESSAGE_TO, to)
  memory.setNumber(CONTEXT + MESSAGE_VALUE, valueWei)
  memory.setU32(CONTEXT + MESSAGE_INPUT_LENGTH, data.length)
  exports.reachMemory(MEMORY + data.length)
  memory.bytes.set(data, MEMORY)
}
