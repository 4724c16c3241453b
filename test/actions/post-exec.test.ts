/** specs: protocol/lagoon/post-exec.md, sdm.md */
import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import {
  bytesToHex,
  decodeTransaction,
  type ExecutionPayload,
  encodePostExecPayload,
  hexToBytes,
  postExecTransaction,
} from '@keelson/primitives'
import { createWorld, SINGULAR_CALLDATA, type World, type WorldNode } from '../support/world.ts'

const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const REFUND = 2_000n
/** Index 0 is the L1 info deposit. */
const FIRST_USER_TX = 1

type Json = Record<string, unknown>

const refunding = (blockNumber: number, index = FIRST_USER_TX) =>
  postExecTransaction(encodePostExecPayload({ version: 1, blockNumber: BigInt(blockNumber), refunds: [{ index, gas: REFUND }] }))

/** Posts block 1 with a transfer, and with what `more` appends, in place of the sequencer's empty block 1. */
async function deriveWith(
  more: (block: ExecutionPayload) => readonly Uint8Array[],
  batches = SINGULAR_CALLDATA,
): Promise<{ readonly world: World; readonly follower: WorldNode }> {
  const world = await createWorld({ forks: forksAtGenesis('lagoon') })
  const follower = await world.addFollower('validator', { gossip: false })
  await world.advance(8)
  const { payload } = await world.sequencer.payloadAt(1)
  const sent = world.sequencer.execution.transfer(0, RECIPIENT, 1n)
  world.batches.submit([{ ...payload, transactions: [...payload.transactions, sent.raw, ...more(payload)] }], batches)
  await world.advance(8)
  return { world, follower }
}

describe('a derived block with a post-execution transaction', () => {
  for (const [name, batches] of [
    ['singular', SINGULAR_CALLDATA],
    ['span', { ...SINGULAR_CALLDATA, batches: 'span' }],
  ] as const) {
    it(`refunds gas on every node that derives it from a ${name} batch`, async () => {
      const { world, follower } = await deriveWith(() => [refunding(1).raw], batches)
      for (const node of world.nodes) {
        assert.equal(node.log.matching('by a deposits-only block').length, 0, node.name)
        const { payload } = await node.payloadAt(1)
        assert.deepEqual(payload.transactions.at(-1), refunding(1).raw, node.name)
      }
      assert.equal(await follower.hashAt(1), await world.sequencer.hashAt(1))
      assert.ok(follower.heads().safe >= 1)
      await world.stop()
    })
  }

  it('is served as the specification says', async () => {
    const { world, follower } = await deriveWith(() => [refunding(1).raw])
    const call = <T = Json>(method: string, ...params: unknown[]) => follower.execution.call(method, ...params) as Promise<T>
    const { hash, payload } = refunding(1)
    const place = await call('eth_getTransactionByHash', hash)
    const { blockHash, blockNumber, transactionIndex, blockTimestamp, ...own } = place
    assert.deepEqual(own, { type: '0x7d', hash, from: `0x${'00'.repeat(20)}`, gas: '0x0', value: '0x0', input: bytesToHex(payload) })
    assert.deepEqual([blockNumber, transactionIndex], ['0x1', '0x2'])
    assert.equal(typeof blockTimestamp, 'string')
    const receipts = await call<Json[]>('eth_getBlockReceipts', '0x1')
    const [info, sent, last] = receipts as [Json, Json, Json]
    assert.deepEqual([info.opGasRefund, sent.opGasRefund, last.opGasRefund], [undefined, '0x7d0', undefined])
    assert.equal(BigInt(sent.gasUsed as string), 21_000n - REFUND)
    assert.deepEqual(
      [last.type, last.status, last.gasUsed, last.cumulativeGasUsed, last.blobGasUsed, last.logs, last.contractAddress],
      ['0x7d', '0x1', '0x0', sent.cumulativeGasUsed, '0x0', [], null],
    )
    assert.deepEqual(await call('eth_getTransactionReceipt', hash), last)
    const block = await call('eth_getBlockByHash', blockHash, true)
    assert.equal(block.gasUsed, sent.cumulativeGasUsed)
    assert.deepEqual((block.transactions as Json[]).at(-1), place)
    assert.equal(await call<string>('eth_getRawTransactionByHash', hash), bytesToHex(refunding(1).raw))
    const traces = await call<Json[]>('debug_traceBlockByHash', blockHash, { tracer: 'callTracer' })
    const [, ofTransfer, ofPostExec] = traces.map(({ result }) => (result as Json).gasUsed)
    assert.deepEqual([ofTransfer, ofPostExec], [sent.gasUsed, '0x0'])
    for (const tracer of ['prestateTracer', 'flatCallTracer', '4byteTracer', 'noopTracer', null])
      assert.equal((await call<Json[]>('debug_traceBlockByHash', blockHash, tracer === null ? {} : { tracer })).length, 3, `${tracer}`)
    const witness = await call('debug_executionWitness', blockHash)
    assert.ok((witness.state as unknown[]).length > 0)
    await world.stop()
  })

  const invalid: Readonly<Record<string, (block: ExecutionPayload) => readonly Uint8Array[]>> = {
    'for another block': () => [refunding(2).raw],
    twice: () => [refunding(1).raw, refunding(1).raw],
    'that refunds a deposit': () => [refunding(1, 0).raw],
    'that refunds more than was used': () => [
      postExecTransaction(encodePostExecPayload({ version: 1, blockNumber: 1n, refunds: [{ index: FIRST_USER_TX, gas: 21_001n }] })).raw,
    ],
    'of an unknown version': () => [hexToBytes('0x7dc60207c3c20101')],
  }
  for (const [name, more] of Object.entries(invalid)) {
    it(`becomes a deposits-only block: ${name}`, async () => {
      const { world, follower } = await deriveWith(more)
      assert.equal(follower.log.matching('by a deposits-only block').length, 1)
      assert.equal(follower.heads().safe, 1)
      assert.ok((await follower.payloadAt(1)).payload.transactions.every((tx) => tx[0] === 0x7e))
      await world.stop()
    })
  }

  it('cannot be submitted by anybody', async () => {
    const world = await createWorld({ forks: forksAtGenesis('lagoon') })
    const raw = bytesToHex(refunding(1).raw)
    assert.ok(decodeTransaction(hexToBytes(raw)))
    await assert.rejects(world.sequencer.execution.call('eth_sendRawTransaction', raw), /transaction type not supported/)
    await world.stop()
  })
})
