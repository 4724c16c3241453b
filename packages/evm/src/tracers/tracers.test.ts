import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, concatBytes, hexToBytes, type toAddress } from '@keelson/primitives'
import { ALICE, BOB, CONTRACT, crypto, ETHER, openTestBlock, transfer } from '../../../../test/support/evm-world.ts'
import type { MemoryAccount } from '../memory-view.ts'
import { createTracer } from './create-tracer.ts'
import { type TracerSlot, traceTransaction } from './trace-transaction.ts'
import type { TraceBudget, TracerConfig } from './transaction-tracer.ts'

const rules = l1ForkRules('prague')
const UNBOUNDED: TraceBudget = { spend: () => undefined }
const hexOf = (bytes: Uint8Array) => bytesToHex(bytes)
const bobHex = hexOf(BOB).slice(2)

const CALLER = hexToBytes(`0x5f5f5f5f600573${bobHex}5af16001555f5fa000`)
const REVERTER = concatBytes(
  hexToBytes('0x6064600c5f3960645ffd'),
  new Uint8Array(2),
  hexToBytes(`0x08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`),
)

const accounts = (bob: Partial<MemoryAccount>, contract: Partial<MemoryAccount> = {}): MemoryAccount[] => [
  { address: ALICE, balanceWei: ETHER },
  { address: BOB, ...bob },
  { address: CONTRACT, code: CALLER, balanceWei: 100n, ...contract },
]

async function trace(
  name: string | null,
  state: MemoryAccount[],
  config: TracerConfig = {},
  budget = UNBOUNDED,
  gasLimit = 200_000n,
  // biome-ignore lint/suspicious/noExplicitAny: a trace of any shape, picked apart by the test
): Promise<any> {
  const slot: TracerSlot = { tracer: null }
  const { block } = openTestBlock(rules, state, {}, { session: slot })
  const tracer = createTracer(name, config, { rules, precompiles: new Set(), place: null, budget })
  assert.ok(tracer !== null)
  const done = traceTransaction(block, slot, tracer, transfer({ to: CONTRACT, gasLimit, valueWei: 0n }), ALICE, crypto)
  assert.equal(done.kind, 'included')
  assert.equal(slot.tracer, null)
  return JSON.parse(JSON.stringify(tracer.result()))
}

describe('tracers', () => {
  it('callTracer shows the tree of calls, the reason of a revert, and logs where they were made', async () => {
    const got = await trace('callTracer', accounts({ code: REVERTER }), { withLog: true })
    assert.equal(got.type, 'CALL')
    assert.equal(got.from, hexOf(ALICE))
    assert.deepEqual(got.logs, [{ address: hexOf(CONTRACT), topics: [], data: '0x', index: '0x0', position: '0x1' }])
    const [call] = got.calls
    assert.deepEqual([call.from, call.to, call.value], [hexOf(CONTRACT), hexOf(BOB), '0x5'])
    assert.deepEqual([call.error, call.revertReason], ['execution reverted', 'no'])
    const top = await trace('callTracer', accounts({ code: REVERTER }), { onlyTopCall: true })
    assert.equal(top.calls, undefined)
  })

  it('callTracer drops the logs of a call that failed later, and shows one that lacked the balance', async () => {
    const failed = await trace('callTracer', accounts({ code: hexToBytes('0x5f5fa0fe') }), { withLog: true })
    assert.equal(failed.calls[0].logs, undefined)
    assert.equal(failed.calls[0].error, 'invalid opcode: INVALID')
    const poor = await trace('callTracer', accounts({}, { balanceWei: 4n }))
    assert.equal(poor.calls.length, 1)
    assert.deepEqual([poor.calls[0].error, poor.calls[0].value, poor.calls[0].gasUsed], ['insufficient balance for transfer', '0x5', '0x0'])
    assert.equal(poor.error, undefined)
  })

  it("reports geth's text for a halted frame", async () => {
    const errorOf = async (code: string) => (await trace('callTracer', accounts({ code: hexToBytes(code) }))).calls[0].error
    assert.equal(await errorOf('0x50'), 'stack underflow (0 <=> 1)')
    assert.equal(await errorOf('0x5f56'), 'invalid jump destination')
    assert.equal(await errorOf('0x0c'), 'invalid opcode: opcode 0xc not defined')
    assert.equal(await errorOf('0x60015f5f3e'), 'return data out of bounds')
    assert.equal(await errorOf('0x5b5f56'), 'out of gas')
    assert.equal(await errorOf('0x5b5f600056'), 'stack limit reached 1024 (1023)')
  })

  it('prestateTracer returns accessed values before the transaction; diffMode its changes', async () => {
    const bob = { balanceWei: 7n, nonce: 3n, code: hexToBytes('0x00') }
    const pre = await trace('prestateTracer', accounts(bob, { storage: [[new Uint8Array(32), new Uint8Array(32).fill(1)]] }))
    assert.deepEqual(pre[hexOf(BOB)].balance, '0x7')
    assert.equal(pre[hexOf(BOB)].nonce, 3)
    assert.equal(pre[hexOf(ALICE)].balance, `0x${ETHER.toString(16)}`)
    assert.deepEqual(Object.keys(pre[hexOf(CONTRACT)].storage), [`0x${'1'.padStart(64, '0')}`])
    const { pre: before, post } = await trace('prestateTracer', accounts(bob), { diffMode: true })
    assert.deepEqual(post[hexOf(BOB)], { balance: '0xc' })
    assert.equal(before[hexOf(BOB)].balance, '0x7')
    assert.deepEqual(post[hexOf(CONTRACT)].storage, { [`0x${'1'.padStart(64, '0')}`]: `0x${'1'.padStart(64, '0')}` })
    assert.equal(post[hexOf(ALICE)].nonce, 1)
    const without = await trace('prestateTracer', accounts(bob), { disableCode: true, disableStorage: true })
    assert.equal(without[hexOf(CONTRACT)].code, undefined)
    assert.equal(without[hexOf(CONTRACT)].storage, undefined)
  })

  it('the step log has stack, storage so far, optional return data, and the error of a failed step', async () => {
    const got = await trace(null, accounts({ code: REVERTER }), { enableReturnData: true, enableMemory: true })
    assert.equal(got.failed, false)
    const first = got.structLogs[0]
    assert.deepEqual([first.op, first.pc, first.depth, first.stack], ['PUSH0', 0, 1, []])
    const store = got.structLogs.find((entry: { op: string }) => entry.op === 'SSTORE')
    assert.deepEqual(store.storage, { [`0x${'1'.padStart(64, '0')}`]: `0x${'0'.padStart(64, '0')}` })
    assert.match(store.returnData, /^0x08c379a0/)
    const call = got.structLogs.find((entry: { op: string }) => entry.op === 'CALL')
    const inner = got.structLogs.find((entry: { depth: number }) => entry.depth === 2)
    assert.ok(call.gasCost > inner.gas - 2300, 'the cost of a call has what it hands on')
    const starved = await trace(null, accounts({ code: hexToBytes('0x5b5f56') }))
    const last = starved.structLogs.filter((entry: { depth: number }) => entry.depth === 2).at(-1)
    assert.equal(last.error, 'out of gas')
    assert.equal(starved.structLogs.filter((entry: { error?: string }) => entry.error !== undefined).length, 1)
  })

  it('flatCallTracer lists calls with their place in the tree', async () => {
    const got = await trace('flatCallTracer', accounts({ code: REVERTER }), { convertParityErrors: true })
    assert.deepEqual(
      got.map((frame: { traceAddress: number[] }) => frame.traceAddress),
      [[], [0]],
    )
    assert.equal(got[1].error, 'Reverted')
    assert.equal(got[0].subtraces, 1)
  })

  it('muxTracer runs several tracers over one execution and reports unknown names', async () => {
    const got = await trace('muxTracer', accounts({}), { callTracer: { onlyTopCall: true }, noopTracer: {}, prestateTracer: {} })
    assert.deepEqual(Object.keys(got), ['callTracer', 'noopTracer', 'prestateTracer'])
    assert.equal(got.callTracer.to, hexOf(CONTRACT))
    const context = { rules, precompiles: new Set<ReturnType<typeof toAddress>>(), place: null, budget: UNBOUNDED }
    assert.equal(createTracer('toString', {}, context), null)
    assert.throws(() => createTracer('muxTracer', { nobody: {} }, context), /tracer not found/)
    assert.throws(() => createTracer('prestateTracer', { diffMode: true, includeEmpty: true }, context), /includeEmpty/)
  })

  it('stops when its budget is spent, in bytes or in steps', async () => {
    const limited = (most: number): TraceBudget => {
      let left = most
      return {
        spend(bytes) {
          left -= bytes
          if (left < 0) throw new Error('too large')
        },
      }
    }
    const loop = accounts({ code: hexToBytes('0x5b5f600056') })
    await assert.rejects(trace(null, loop, {}, limited(10_000)), /too large/)
    const input = await trace('callTracer', accounts({}), {}, limited(10_000))
    assert.equal(input.type, 'CALL')
  })
})
