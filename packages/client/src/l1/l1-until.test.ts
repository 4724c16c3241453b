import assert from 'node:assert/strict'
import { type Block, type L1BlockRef, ZERO_HASH } from '@keelson/primitives'
import { createFakeRpc } from '../fake-rpc.test-support.ts'
import { blockJson, sampleBlock } from '../sample-block.test-support.ts'
import { createL1Client } from './l1-client.ts'
import { createL1Until } from './l1-until.ts'

const FORK_BLOCK = 30

function chain(length: number): Block[] {
  const blocks: Block[] = []
  for (let number = 0; number < length; number++) blocks.push(sampleBlock(number, blocks.at(-1)?.hash ?? ZERO_HASH, []))
  return blocks
}

describe('L1 up to a fork that is not implemented', () => {
  const blocks = chain(41)
  const timeSec = blocks[FORK_BLOCK]?.header.timestampSec ?? 0
  const LABELS = { safe: 20, finalized: 10 }
  let head: number
  let finalized: number
  let nowSec: number
  let changed: Map<number, object>
  let calls: number
  let reached: (number | null)[]

  const open = (firstBlock = 3) => {
    const byNumber = (number: number) => {
      const block = number <= head ? blocks[number] : undefined
      return block === undefined ? null : (changed.get(number) ?? blockJson(block, false))
    }
    const rpc = createFakeRpc({
      eth_getBlockByNumber: (at: string) => {
        calls++
        if (at === 'latest') return byNumber(head)
        return byNumber(at === 'safe' ? LABELS.safe : at === 'finalized' ? finalized : Number(at))
      },
      eth_getBlockByHash: (hash: string) => {
        const block = blocks.find((each) => each.hash === hash)
        return block === undefined ? null : blockJson(block, false)
      },
    })
    const onReached = (last: L1BlockRef | null) => reached.push(last?.number ?? null)
    return createL1Until(createL1Client(rpc), { timeSec, firstBlock, nowMs: () => nowSec * 1000, onReached })
  }
  /** Serves a block with an unknown header field, which changes its hash. */
  const beyondOurKnowledge = (number: number) =>
    changed.set(number, { ...blockJson(blocks[number] as Block, false), hash: `0x${'ab'.repeat(32)}`, inclusionListRoot: ZERO_HASH })

  beforeEach(() => {
    head = 25
    finalized = LABELS.finalized
    nowSec = timeSec
    changed = new Map()
    calls = 0
    reached = []
  })

  it('is L1 as it is before the fork', async () => {
    const l1 = open()
    assert.equal((await l1.blockRef('latest'))?.number, 25)
    assert.equal((await l1.blockRef(7))?.number, 7)
    assert.equal((await l1.blockRef('safe'))?.number, 20)
    assert.equal(await l1.blockRef(26), null)
    assert.equal((await l1.header(blocks[7]?.hash as never))?.number, 7)
    assert.deepEqual(reached, [])
  })

  it('ends with the last block before the fork, says so once, and finds it in few requests', async () => {
    head = 40
    const l1 = open()
    for (let i = 0; i < 3; i++) assert.equal((await l1.blockRef('latest'))?.number, 29)
    assert.deepEqual(reached, [29])
    assert.ok(calls < 25, `${calls} requests`)
    for (const at of [30, blocks[30]?.hash as never]) assert.equal(await l1.blockRef(at), null)
    assert.equal(await l1.header(blocks[30]?.hash as never), null)
    finalized = 40
    assert.equal((await l1.blockRef('finalized'))?.number, 29)
    assert.equal((await l1.blockRef('safe'))?.number, 20)
  })

  it('ends there too when headers from the fork on do not verify', async () => {
    head = 40
    for (let number = FORK_BLOCK; number <= 40; number++) beyondOurKnowledge(number)
    const l1 = open()
    assert.equal((await l1.blockRef('latest'))?.number, 29)
    assert.equal(await l1.blockRef(35), null)
    assert.deepEqual(reached, [29])
  })

  it('takes a header that does not verify for a lie before the time of the fork', async () => {
    nowSec = timeSec - 1
    beyondOurKnowledge(25)
    const l1 = open()
    await assert.rejects(l1.blockRef('latest'), { code: 'client/bad-answer', message: /inclusionListRoot.*install a release/ })
    assert.deepEqual(reached, [])
  })

  it('continues when a verifiable head replaces one that did not verify', async () => {
    beyondOurKnowledge(25)
    const l1 = open()
    assert.equal((await l1.blockRef('latest'))?.number, 24)
    changed.clear()
    assert.equal((await l1.blockRef('latest'))?.number, 25)
  })

  it('says that nothing can be read when the rollup begins after the fork', async () => {
    head = 40
    const l1 = open(35)
    assert.equal(await l1.blockRef('latest'), null)
    assert.deepEqual(reached, [null])
  })
})
