import assert from 'node:assert/strict'
import { type Block, type Hash, toHash, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createSeededRandom, type ManualClock } from '@keelson/runtime'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import { ClientError, RpcResponseError } from '../client-error.ts'
import { createFakeRpc, type FakeMethods, type FakeRpc, rpcFailure } from '../fake-rpc.test-support.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { blockJson, receiptJson, sampleBlock, sampleReceipts, sampleTransaction } from '../sample-block.test-support.ts'
import { createFailOverL1Client, createFailOverRpc } from './fail-over-l1.ts'
import { createL1Client, type L1Client } from './l1-client.ts'
import { createL1Sources, type L1Sources } from './l1-sources.ts'

const CHAIN_ID = 900n

const chain: Block[] = []
for (let number = 0; number <= 6; number++) {
  const transactions = number === 5 ? [sampleTransaction(0n), sampleTransaction(1n)] : []
  chain.push(sampleBlock(number, chain[number - 1]?.hash ?? ZERO_HASH, transactions))
}
const block5 = chain[5] as Block

interface FakeNode {
  readonly rpc: FakeRpc
  head: number
  chainId: bigint
  trouble: Error | null
}

function fakeNode(host: string): FakeNode {
  const show = (block: Block | undefined, full: boolean) =>
    block === undefined || block.header.number > node.head ? null : blockJson(block, full)
  const byHash = (hash: Hash) => chain.find((block) => block.hash === hash)
  const methods: FakeMethods = {
    eth_chainId: () => `0x${node.chainId.toString(16)}`,
    eth_getBlockByHash: (hash: Hash, full: boolean) => show(byHash(hash), full),
    eth_getBlockByNumber: (at: string, full: boolean) => show(chain[at.startsWith('0x') ? Number(at) : node.head], full),
    eth_getBlockReceipts: (hash: Hash) => (show(byHash(hash), false) === null ? null : sampleReceipts(2).map(receiptJson)),
  }
  const troubled = Object.entries(methods).map(([name, answer]) => [
    name,
    (...params: never[]) => {
      if (node.trouble !== null) throw node.trouble
      return answer(...params)
    },
  ])
  const rpc = Object.assign(createFakeRpc(Object.fromEntries(troubled)), { host })
  const node: FakeNode = { rpc, head: 6, chainId: CHAIN_ID, trouble: null }
  return node
}

const unreachable = () => new ClientError('client/unreachable', 'temporary', 'it cannot be reached (ECONNREFUSED)')

describe('several L1 URLs', () => {
  let a: FakeNode
  let b: FakeNode
  let clock: ManualClock
  let log: RecordingLogger
  let sources: L1Sources
  let l1: L1Client
  let rpc: RpcClient

  const open = (...nodes: readonly FakeNode[]) => {
    clock = createManualClock()
    log = createRecordingLogger()
    const members = nodes.map((node) => ({ host: node.rpc.host, rpc: node.rpc, client: createL1Client(node.rpc) }))
    sources = createL1Sources({ chainId: CHAIN_ID }, members, { clock, random: createSeededRandom(1), log })
    l1 = createFailOverL1Client(sources, log)
    rpc = createFailOverRpc(sources)
  }
  beforeEach(() => {
    a = fakeNode('a.example')
    b = fakeNode('b.example')
    open(a, b)
  })
  const asked = ({ rpc }: FakeNode) => rpc.calls.filter(({ method }) => method !== 'eth_chainId').length
  const lines = () => log.lines.map(({ level, message }) => `${level} ${message}`)
  const why = () => String(log.matching('suspended')[0]?.fields.why)

  it('asks the first as long as it answers', async () => {
    assert.equal((await l1.blockRef('latest'))?.number, 6)
    assert.equal((await l1.receipts(block5.hash))?.length, 2)
    assert.equal(asked(b), 0)
    assert.deepEqual(lines(), [])
  })

  it('uses the next source while the first is down, logs that once, and returns to the first when it recovers', async () => {
    await l1.blockRef('latest')
    a.trouble = unreachable()
    for (let i = 0; i < 3; i++) assert.equal((await l1.blockRef('latest'))?.number, 6)
    assert.deepEqual(lines(), ['warn L1 at a.example is suspended'])
    assert.match(why(), /ECONNREFUSED/)
    assert.equal(sources.current.host, 'b.example')
    a.trouble = null
    await clock.advance(2_000)
    await l1.blockRef('latest')
    await clock.advance(0)
    assert.deepEqual(lines().slice(1), ['info L1 at a.example is used again'])
    assert.equal(rpc.host, 'a.example')
  })

  it('waits longer each time for one that keeps failing, with jitter', async () => {
    await l1.blockRef('latest')
    a.trouble = unreachable()
    const looks: number[] = []
    for (let seen = 0; clock.nowMs() < 700_000; await clock.advance(500)) {
      await l1.blockRef('latest')
      await clock.advance(0)
      if (a.rpc.calls.length > seen) looks.push(clock.nowMs())
      seen = a.rpc.calls.length
    }
    const gaps = looks.slice(2).map((at, i) => at - (looks[i + 1] as number))
    assert.ok(gaps.length >= 6 && gaps.length <= 12, `${gaps}`)
    assert.ok((gaps.at(-1) as number) >= 100_000, `${gaps}`)
    assert.equal(lines().length, 1)
  })

  it('leaves one that limits our rate (429) alone for as long as it asks', async () => {
    a.trouble = new ClientError('client/rate-limited', 'temporary', 'a.example limits our rate', { retryAfterSec: 60 })
    await l1.blockRef('latest')
    a.trouble = null
    await clock.advance(59_000)
    await l1.blockRef('latest')
    await clock.advance(0)
    assert.equal(sources.current.host, 'b.example')
    await clock.advance(2_000)
    await l1.blockRef('latest')
    await clock.advance(0)
    assert.equal(sources.current.host, 'a.example')
  })

  it('knows a rate limit that comes as a JSON-RPC error', async () => {
    a.trouble = new RpcResponseError('temporary', 'eth_call', -32005, 'daily request count exceeded', null)
    assert.equal((await l1.blockRef(5))?.hash, block5.hash)
    assert.equal(log.matching('suspended')[0]?.fields.reason, 'limiting')
  })

  it('does not return to one that answers again but is behind', async () => {
    await l1.blockRef('latest')
    a.trouble = unreachable()
    await l1.blockRef('latest')
    a.trouble = null
    a.head = 4
    await clock.advance(3_000)
    await l1.blockRef('latest')
    await clock.advance(0)
    assert.equal(sources.current.host, 'b.example')
    a.head = 6
    await clock.advance(60_000)
    await l1.blockRef('latest')
    await clock.advance(0)
    assert.equal(sources.current.host, 'a.example')
  })

  it('never asks one of another chain, and says so in one line', async () => {
    a.chainId = 1n
    await sources.check()
    for (let i = 0; i < 3; i++) await l1.blockRef('latest')
    await clock.advance(600_000)
    await l1.blockRef('latest')
    assert.deepEqual(lines(), [
      'error the L1 at a.example is chain 1, rollup.json expects 900: it is not used; take it out of --l1.rpc or correct it',
    ])
    assert.equal(asked(a), 0)
    b.chainId = 2n
    open(a, b)
    await assert.rejects(sources.check(), { code: 'client/wrong-chain', severity: 'critical' })
    await assert.rejects(l1.blockRef('latest'), { code: 'client/wrong-chain', severity: 'critical' })
  })

  it('looks at the chain of one that was down at the start before it is used', async () => {
    b.trouble = unreachable()
    b.chainId = 1n
    await sources.check()
    b.trouble = null
    a.trouble = unreachable()
    await assert.rejects(l1.blockRef('latest'), { severity: 'temporary' })
    assert.equal(asked(b), 0)
  })

  it('notices a lying L1: names the host, the block and what does not match, and asks another', async () => {
    await l1.header(block5.hash)
    a.rpc.methods = { ...a.rpc.methods, eth_getBlockReceipts: () => sampleReceipts(1).map(receiptJson) }
    assert.equal((await l1.receipts(block5.hash))?.length, 2)
    assert.equal(log.matching('suspended')[0]?.fields.reason, 'wrong-answer')
    assert.match(
      why(),
      new RegExp(`a.example gave an answer for the receipts of block 5 \\(${block5.hash}\\) that does not verify: .*root`, 'i'),
    )
    open(a, b)
    a.rpc.methods = { ...a.rpc.methods, eth_getBlockByHash: () => ({ ...blockJson(block5, true), gasUsed: '0x1' }) }
    assert.deepEqual(await l1.header(block5.hash), block5.header)
    assert.match(why(), new RegExp(`a.example .* block ${block5.hash} that does not verify`))
  })

  it('skips a source for a while when its answer exceeds the limit of the request', async () => {
    await l1.blockRef('latest')
    a.trouble = new ClientError('client/too-large', 'temporary', 'the answer of a.example is larger than 3595456 bytes')
    assert.equal((await l1.receipts(block5.hash))?.length, 2)
    assert.equal(log.matching('suspended')[0]?.fields.reason, 'wrong-answer')
    a.trouble = null
    await clock.advance(20_000)
    await l1.blockRef('latest')
    await clock.advance(0)
    assert.equal(sources.current.host, 'b.example')
  })

  it('asks another for a known block that a lagging one does not know, before it counts as unknown', async () => {
    await l1.blockRef('latest')
    a.head = 4
    assert.equal((await l1.transactions(block5.hash))?.length, 2)
    assert.match(why(), new RegExp(`it does not know the transactions of block ${block5.hash}, which b.example has`))
    assert.equal((await l1.blockRef(5))?.hash, block5.hash)
  })

  it('gives null when none of them knows a block, also when another is down', async () => {
    const nowhere = toHash(`0x${'ee'.repeat(32)}`)
    assert.equal(await l1.header(nowhere), null)
    assert.ok(asked(b) > 0)
    b.trouble = unreachable()
    assert.equal(await l1.receipts(nowhere), null)
    assert.equal(sources.current.host, 'a.example')
  })

  it('asks only one of them for the block after the head', async () => {
    await l1.blockRef('latest')
    for (let i = 0; i < 5; i++) assert.equal(await l1.blockRef(7), null)
    assert.equal(asked(b), 0)
  })

  it('takes the head of another when the first falls behind, and the lower one when all went back', async () => {
    await l1.blockRef('latest')
    a.head = 3
    assert.equal((await l1.blockRef('latest'))?.number, 6)
    assert.match(why(), /at block 3, another at 6/)
    b.head = 2
    assert.equal((await l1.blockRef('latest'))?.number, 2)
  })

  it('tells what every one of them said when none answers, and uses the first that answers again', async () => {
    await l1.blockRef('latest')
    a.trouble = unreachable()
    b.trouble = new ClientError('client/timeout', 'temporary', 'no answer from b.example within 15000 ms')
    await assert.rejects(l1.blockRef('latest'), {
      severity: 'temporary',
      message: /none of the L1 URLs gave an answer: it cannot be reached.*; no answer from b\.example/,
    })
    b.trouble = null
    assert.equal((await l1.blockRef('latest'))?.number, 6)
  })

  it('is no different from the node itself when there is one', async () => {
    open(a)
    a.trouble = unreachable()
    for (let i = 0; i < 3; i++) await assert.rejects(l1.blockRef('latest'), { message: 'it cannot be reached (ECONNREFUSED)' })
    a.trouble = null
    assert.equal((await l1.blockRef('latest'))?.number, 6)
    assert.deepEqual(lines(), [])
  })

  describe('for requests of any kind', () => {
    it('give the caller what the node says, a revert for instance, and ask nobody else', async () => {
      await sources.check()
      const before = b.rpc.calls.length
      a.trouble = rpcFailure(3, 'execution reverted')
      await assert.rejects(rpc.call('eth_getBlockByNumber', ['0x5', false]), { code: 'client/rpc', number: 3 })
      assert.equal(b.rpc.calls.length, before)
    })

    it('ask one of them once when told so', async () => {
      await sources.check()
      a.trouble = unreachable()
      await assert.rejects(rpc.call('eth_getBlockByNumber', ['0x5', false], { retry: false }), { code: 'client/unreachable' })
      assert.equal(asked(b), 0)
      assert.ok(await rpc.call('eth_getBlockByNumber', ['0x5', false]))
    })
  })
})
