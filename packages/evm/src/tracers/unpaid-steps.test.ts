/** Expected values: OnOpcode of go-ethereum 1.17.10, which gets an error for these steps (core/vm/interpreter.go). */
import assert from 'node:assert/strict'
import { ethParameters, l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, hexToBytes, TX_FEE_MARKET, toAddress, ZERO_HASH } from '@keelson/primitives'
import { ALICE, BOB, CHAIN_ID, CONTRACT, crypto, ETHER, engine, openTestBlock, transfer, word } from '../../../../test/support/evm-world.ts'
import { createMemoryView, type MemoryAccount } from '../memory-view.ts'
import { createAccessList } from '../simulate/create-access-list.ts'
import { createTracer } from './create-tracer.ts'
import { createStateDiffTracer } from './state-diff.ts'
import { type TracerSlot, traceTransaction } from './trace-transaction.ts'
import type { TraceContext, TransactionTracer } from './transaction-tracer.ts'

const rules = l1ForkRules('osaka')
const context: TraceContext = { rules, precompiles: new Set(), place: null, budget: { spend: () => undefined } }
const TARGET = new Uint8Array(20).fill(0xd0)
const target = bytesToHex(TARGET)
const BALANCE = 77n
const SLOT = word(5n)
const slot = bytesToHex(SLOT)
const push = `73${target.slice(2)}`

interface Step {
  readonly name: string
  /** Bytecode up to the step, with its pushes, and what the step costs in all. */
  readonly code: string
  readonly pushes: bigint
  readonly cost: bigint
  /** Within the frame; a call also grants gas. */
  readonly reads: 'slot' | 'account'
}

/** EIP-2929, EIP-2200, EIP-150: prices of cold accesses. */
const STEPS: readonly Step[] = [
  { name: 'SLOAD', code: '600554', pushes: 3n, cost: 2100n, reads: 'slot' },
  { name: 'SSTORE', code: '6001600555', pushes: 6n, cost: 22_100n, reads: 'slot' },
  { name: 'BALANCE', code: `${push}31`, pushes: 3n, cost: 2600n, reads: 'account' },
  { name: 'EXTCODESIZE', code: `${push}3b`, pushes: 3n, cost: 2600n, reads: 'account' },
  { name: 'EXTCODEHASH', code: `${push}3f`, pushes: 3n, cost: 2600n, reads: 'account' },
  // 2,600, 3 for a word of memory, 3 for a copied word.
  { name: 'EXTCODECOPY', code: `60205f5f${push}3c`, pushes: 10n, cost: 2606n, reads: 'account' },
  { name: 'CALL', code: `5f5f5f5f5f${push}5ff1`, pushes: 15n, cost: 2600n, reads: 'account' },
  { name: 'CALL with value', code: `5f5f5f5f6001${push}5ff1`, pushes: 16n, cost: 11_600n, reads: 'account' },
  { name: 'CALLCODE', code: `5f5f5f5f5f${push}5ff2`, pushes: 15n, cost: 2600n, reads: 'account' },
  { name: 'DELEGATECALL', code: `5f5f5f5f${push}5ff4`, pushes: 13n, cost: 2600n, reads: 'account' },
  { name: 'STATICCALL', code: `5f5f5f5f${push}5ffa`, pushes: 13n, cost: 2600n, reads: 'account' },
  { name: 'STATICCALL with memory', code: `5f5f60205f${push}5ffa`, pushes: 14n, cost: 2603n, reads: 'account' },
  { name: 'SELFDESTRUCT', code: `${push}ff`, pushes: 3n, cost: 7600n, reads: 'account' },
]

const accounts = (code: string): MemoryAccount[] => [
  { address: ALICE, balanceWei: ETHER },
  { address: BOB, nonce: 1n, code: hexToBytes(`0x5f5f5f5f73${bytesToHex(CONTRACT).slice(2)}5afa00`) },
  { address: CONTRACT, code: hexToBytes(`0x${code}`), balanceWei: 100n, nonce: 1n },
  { address: TARGET, balanceWei: BALANCE },
]

// biome-ignore lint/suspicious/noExplicitAny: a trace of any shape, picked apart by the test
function trace(tracer: TransactionTracer, code: string, gasLimit: bigint, to = CONTRACT): any {
  const tracing: TracerSlot = { tracer: null }
  const { block } = openTestBlock(rules, accounts(code), {}, { session: tracing })
  const done = traceTransaction(block, tracing, tracer, transfer({ to, gasLimit, valueWei: 0n }), ALICE, crypto)
  assert.equal(done.kind, 'included')
  return JSON.parse(JSON.stringify(tracer.result()))
}

const named = (name: string | null, config = {}) => createTracer(name, config, context) as TransactionTracer
const contract = bytesToHex(CONTRACT)
const BASE = 21_000n

function listOf(code: string, gasLimit: bigint) {
  const tx = {
    type: TX_FEE_MARKET,
    chainId: CHAIN_ID,
    nonce: 0n,
    gasLimit,
    to: CONTRACT,
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGasWei: 0n,
    maxPriorityFeePerGasWei: 0n,
  } as const
  const view = createMemoryView(accounts(code))
  const simulation = { engine, view, header: openHeader(), rules, chainId: CHAIN_ID, crypto, blockHash: () => null }
  const made = createAccessList(simulation, { from: ALICE, tx })
  assert.ok(made.kind === 'created')
  return made.accessList
}

function openHeader() {
  return {
    parentHash: ZERO_HASH,
    number: 100,
    timestampSec: 1000,
    gasLimit: 30_000_000n,
    baseFeeWei: 0n,
    feeRecipient: toAddress(bytesToHex(TARGET).replaceAll('d', 'f')),
    mixHash: ZERO_HASH,
    difficulty: 0n,
    parentBeaconBlockRoot: null,
    excessBlobGas: 0n,
  }
}

describe('a step that its frame cannot pay', () => {
  for (const { name, code, pushes, cost, reads } of STEPS) {
    const short = BASE + pushes + cost - 1n
    // SSTORE keeps 2,300 gas in reserve, which is less than it costs here.
    const enough = short + 1n

    it(`leaves no read in prestateTracer, alone or in muxTracer: ${name}`, () => {
      const shows = (prestate: Record<string, { storage?: Record<string, string> }>) =>
        reads === 'account' ? target in prestate : slot in (prestate[contract]?.storage ?? {})
      assert.equal(shows(trace(named('prestateTracer'), code, short)), false)
      assert.equal(shows(trace(named('prestateTracer'), code, enough)), true)
      const mux = () => named('muxTracer', { prestateTracer: {}, callTracer: {} })
      assert.equal(shows(trace(mux(), code, short).prestateTracer), false)
      assert.equal(shows(trace(mux(), code, enough).prestateTracer), true)
    })

    it(`leaves no change in diffMode and stateDiff: ${name}`, () => {
      const diff = trace(named('prestateTracer', { diffMode: true }), code, short)
      assert.equal(target in diff.pre || target in diff.post || contract in diff.pre || contract in diff.post, false)
      const changes = trace(createStateDiffTracer(context), code, short)
      assert.equal(target in changes || contract in changes, false)
    })

    it(`leaves no read in erc7562Tracer: ${name}`, () => {
      const { accessedSlots, contractSize, extCodeAccessInfo } = trace(named('erc7562Tracer'), code, short)
      assert.deepEqual(accessedSlots, { reads: {}, writes: {}, transientReads: {}, transientWrites: {} })
      assert.deepEqual([contractSize, extCodeAccessInfo], [{}, []])
    })

    it(`is not in the access list: ${name}`, () => {
      assert.deepEqual(listOf(code, short), [])
    })

    it(`has the error in the step log, without storage: ${name}`, () => {
      const { structLogs } = trace(named(null), code, short)
      const last = structLogs.at(-1)
      assert.deepEqual([last.op, last.error, last.storage], [name.split(' ')[0], 'out of gas', undefined])
      const paid = trace(named(null), code, enough).structLogs
      assert.equal(
        paid.some(({ error }: { error?: string }) => error !== undefined),
        false,
      )
    })
  }

  it('leaves no read when memory costs too much after a cold account', () => {
    // 0xffff words of memory for the output cost more than the gas that is left.
    const code = `621fffff5f5f5f5f${push}5ff1`
    assert.equal(target in trace(named('prestateTracer'), code, 60_000n), false)
    assert.deepEqual(listOf(code, 60_000n), [])
  })

  it('leaves no created address of a CREATE or CREATE2', () => {
    for (const code of ['5f5f5ff0', '5f5f5f5ff5']) {
      const made = Object.keys(trace(named('prestateTracer', { includeEmpty: true }), code, 60_000n)).length
      const unpaid = Object.keys(trace(named('prestateTracer', { includeEmpty: true }), code, 50_000n)).length
      assert.equal(made - unpaid, 1, code)
    }
  })

  it('leaves no read when operands are missing', () => {
    assert.deepEqual(trace(named('prestateTracer'), `5f5f5f5f${push}f1`, 100_000n)[target], undefined)
    assert.deepEqual(trace(named('prestateTracer'), '600555', 100_000n)[contract].storage, undefined)
  })
})

describe('a step that must not write', () => {
  const STATIC: readonly (readonly [code: string, name: string])[] = [
    ['6001600555', 'SSTORE'],
    [`5f5f5f5f6001${push}5ff1`, 'CALL'],
    [`${push}ff`, 'SELFDESTRUCT'],
  ]
  for (const [code, name] of STATIC) {
    it(`leaves no read: ${name}`, () => {
      const prestate = trace(named('prestateTracer'), code, 500_000n, BOB)
      assert.equal(target in prestate, false)
      assert.equal(slot in (prestate[contract].storage ?? {}), false)
      const { structLogs } = trace(named(null), code, 500_000n, BOB)
      const step = structLogs.findLast(({ depth }: { depth: number }) => depth === 2)
      assert.deepEqual([step.op, step.error], [name, 'out of gas: write protection'])
    })
  }

  it('leaves no deletion by SELFDESTRUCT before Cancun', () => {
    const shanghai = l1ForkRules('shanghai')
    assert.equal(ethParameters(shanghai.ethFork).destroysOnlyNewContracts, false)
    const tracing: TracerSlot = { tracer: null }
    const { block } = openTestBlock(shanghai, accounts(`${push}ff`), {}, { session: tracing })
    const tracer = createTracer('prestateTracer', { diffMode: true }, { ...context, rules: shanghai }) as TransactionTracer
    traceTransaction(block, tracing, tracer, transfer({ to: BOB, gasLimit: 500_000n, valueWei: 0n }), ALICE, crypto)
    const { pre } = tracer.result() as { pre: object }
    assert.equal(contract in pre, false)
  })
})

describe('frames without code', () => {
  const create = '5f5f5ff000'

  it('have no step, at any depth and for any creation', () => {
    const outermost = transfer({ to: null, gasLimit: 100_000n, valueWei: 0n })
    const tracing: TracerSlot = { tracer: null }
    const { block } = openTestBlock(rules, accounts('00'), {}, { session: tracing })
    const log = named(null)
    const done = traceTransaction(block, tracing, log, outermost, ALICE, crypto)
    assert.ok(done.kind === 'included' && done.gasUsed === 53_000n)
    assert.deepEqual((log.result() as { structLogs: unknown[] }).structLogs, [])
    for (const code of [create, '5f5f5f5ff500', `5f5f5f5f5f${push}5af100`]) {
      const { structLogs, failed } = trace(named(null), code, 200_000n)
      assert.equal(failed, false)
      assert.equal(
        structLogs.every(({ depth }: { depth: number }) => depth === 1),
        true,
        code,
      )
    }
    const calls = trace(named('callTracer'), create, 200_000n).calls
    assert.deepEqual([calls.length, calls[0].type, calls[0].gasUsed, calls[0].error], [1, 'CREATE', '0x0', undefined])
    assert.deepEqual(trace(named('erc7562Tracer'), create, 200_000n).calls[0].usedOpcodes, {})
  })
})

describe('steps', () => {
  const opsOf = (code: string) => trace(named(null), code, 100_000n).structLogs.map(({ op }: { op: string }) => op)

  it('of undefined opcodes and of 0x44 have the names of geth', () => {
    assert.deepEqual(opsOf('440c'), ['DIFFICULTY', 'opcode 0xc not defined'])
    assert.deepEqual(opsOf('fe'), ['INVALID'])
  })

  it('show the refund that they earn', () => {
    // EIP-3529: resetting a slot that was zero returns 19,900.
    const { structLogs } = trace(named(null), '6001600555600060055500', 100_000n)
    const refunds = structLogs.map(({ op, refund }: { op: string; refund?: number }) => [op, refund])
    assert.deepEqual(refunds, [
      ['PUSH1', undefined],
      ['PUSH1', undefined],
      ['SSTORE', undefined],
      ['PUSH1', undefined],
      ['PUSH1', undefined],
      ['SSTORE', 19_900],
      ['STOP', 19_900],
    ])
  })
})
