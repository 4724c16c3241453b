/** Block numbers and times must ascend; gaps are filled with empty blocks. */
import type { StateOverride } from '@keelson/evm'
import { type Header, isGiven, parseJsonArray, parseJsonObject, parseOptional } from '@keelson/primitives'
import { invalidParams, RpcError } from '@keelson/runtime'
import { parseBoolean } from '../params.ts'
import { type BlockOverrides, parseBlockOverrides, parseStateOverrides } from './call-overrides.ts'
import { type CallRequest, parseCallRequest } from './call-request.ts'

export const SIMULATE_ERRORS = {
  nonceTooLow: -38010,
  nonceTooHigh: -38011,
  baseFeeTooLow: -38012,
  intrinsicGas: -38013,
  insufficientFunds: -38014,
  blockGasLimit: -38015,
  blockNumber: -38020,
  blockTime: -38021,
  initCodeSize: -38025,
  tooMuch: -38026,
} as const

const MAX_BLOCKS = 256
const MAX_CALLS_IN_BLOCK = 5_000
const MAX_CALLS = 10_000
const TIME_STEP_SEC = 12

export interface SimulateRequest {
  readonly blocks: readonly RequestedBlock[]
  readonly showTransfers: boolean
  readonly validates: boolean
  readonly fullTransactions: boolean
}

export interface RequestedBlock {
  readonly overrides: BlockOverrides
  readonly stateOverrides: readonly StateOverride[]
  readonly calls: readonly CallRequest[]
}

export interface PlannedBlock extends RequestedBlock {
  readonly number: number
  readonly timestampSec: number
}

function tooManyBlocks(count: number): RpcError {
  return new RpcError(SIMULATE_ERRORS.tooMuch, `too many blocks: ${count} > ${MAX_BLOCKS}, skipped ones included; simulate fewer at once`)
}

/** Throws CodecError, invalid params, or -38026 for an oversized request. */
export function parseSimulateRequest(value: unknown): SimulateRequest {
  const o = parseJsonObject(value, 'simulation')
  const list = Array.isArray(o.blockStateCalls) ? o.blockStateCalls : []
  if (list.length === 0) throw invalidParams('empty input')
  if (list.length > MAX_BLOCKS) throw tooManyBlocks(list.length)
  let calls = 0
  for (const block of list) {
    const own = Array.isArray((block as { calls?: unknown } | null)?.calls) ? (block as { calls: unknown[] }).calls.length : 0
    calls += own
    if (own > MAX_CALLS_IN_BLOCK) throw new RpcError(SIMULATE_ERRORS.tooMuch, `too many calls in block: ${own} > ${MAX_CALLS_IN_BLOCK}`)
    if (calls > MAX_CALLS) throw new RpcError(SIMULATE_ERRORS.tooMuch, `too many calls: more than ${MAX_CALLS}`)
  }
  const flag = (given: unknown) => (isGiven(given) ? parseBoolean(given) : false)
  return {
    blocks: parseJsonArray(list, 'blockStateCalls', parseBlock),
    showTransfers: flag(o.traceTransfers),
    validates: flag(o.validation),
    fullTransactions: flag(o.returnFullTransactions),
  }
}

const NO_OVERRIDES = parseBlockOverrides({})

function parseBlock(value: unknown, what: string): RequestedBlock {
  const o = parseJsonObject(value, what)
  return {
    overrides: parseOptional(o.blockOverrides, `${what}.blockOverrides`, parseBlockOverrides) ?? NO_OVERRIDES,
    stateOverrides: parseOptional(o.stateOverrides, `${what}.stateOverrides`, parseStateOverrides) ?? [],
    calls: parseOptional(o.calls, `${what}.calls`, (list, at) => parseJsonArray(list, at, parseCallRequest)) ?? [],
  }
}

/** Throws -38020, -38021 or -38026. */
export function planBlocks(blocks: readonly RequestedBlock[], base: Header): PlannedBlock[] {
  const planned: PlannedBlock[] = []
  let { number, timestampSec } = base
  for (const block of blocks) {
    const wanted = block.overrides.number ?? number + 1
    if (wanted <= number) throw new RpcError(SIMULATE_ERRORS.blockNumber, `block numbers must be in order: ${wanted} <= ${number}`)
    if (wanted - base.number > MAX_BLOCKS) throw tooManyBlocks(wanted - base.number)
    while (number + 1 < wanted) {
      number++
      timestampSec += TIME_STEP_SEC
      planned.push({ number, timestampSec, overrides: NO_OVERRIDES, stateOverrides: [], calls: [] })
    }
    const time = block.overrides.timestampSec ?? timestampSec + TIME_STEP_SEC
    if (time <= timestampSec) throw new RpcError(SIMULATE_ERRORS.blockTime, `block timestamps must be in order: ${time} <= ${timestampSec}`)
    number = wanted
    timestampSec = time
    planned.push({ ...block, number, timestampSec })
  }
  return planned
}
