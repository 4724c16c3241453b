import assert from 'node:assert/strict'
import { type Block, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createSeededRandom } from '@keelson/runtime'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import { ClientError } from '../client-error.ts'
import { createFakeRpc } from '../fake-rpc.test-support.ts'
import { blockJson, sampleBlock } from '../sample-block.test-support.ts'
import { createFailOverL1Client } from './fail-over-l1.ts'
import { createL1Client, type L1Client } from './l1-client.ts'
import { createL1Sources, type L1Sources } from './l1-sources.ts'

const chain: Block[] = []
for (let number = 0; number <= 20; number++) chain.push(sampleBlock(number, chain[number - 1]?.hash ?? ZERO_HASH, []))
const forged = chain.slice(0, 5)
for (let number = 5; number <= 20; number++)
  forged.push(sampleBlock(number, number === 5 ? (`0x${'fa'.repeat(32)}` as never) : (forged[number - 1] as Block).hash, []))

interface Node {
  finalized: number | null
  blocks: readonly Block[]
  down: boolean
  asked: number
}

describe('the finalized label of several L1 URLs', () => {
  let l1: L1Client
  let sources: L1Sources
  let log: RecordingLogger
  const open = (...finals: readonly (number | null)[]) => {
    log = createRecordingLogger()
    const nodes = finals.map((finalized): Node => ({ finalized, blocks: chain, down: false, asked: 0 }))
    const members = nodes.map((node, i) => {
      const methods = {
        eth_chainId: () => '0x384',
        eth_getBlockByNumber: (at: string) => {
          node.asked++
          if (node.down) throw new ClientError('client/unreachable', 'temporary', 'it cannot be reached')
          const number = at === 'finalized' || at === 'safe' ? node.finalized : at === 'latest' ? 20 : Number(at)
          const block = number === null ? undefined : node.blocks[number]
          return block === undefined ? null : blockJson(block, false)
        },
      }
      const rpc = Object.assign(createFakeRpc(methods), { host: `l1-${i}` })
      return { host: rpc.host, rpc, client: createL1Client(rpc) }
    })
    sources = createL1Sources({ chainId: 900n }, members, { clock: createManualClock(), random: createSeededRandom(1), log })
    l1 = createFailOverL1Client(sources, log)
    return nodes
  }
  const finalized = async () => (await l1.blockRef('finalized'))?.number ?? null

  it('is the lower one of two, so that a lying URL cannot raise it', async () => {
    open(20, 6)
    assert.equal(await finalized(), 6)
    open(6, 20)
    assert.equal(await finalized(), 6)
  })

  it('cannot be raised or held back by one of three', async () => {
    open(20, 9, 9)
    assert.equal(await finalized(), 9)
    open(9, 0, 9)
    assert.equal(await finalized(), 9)
    open(12, 8, 10)
    assert.equal(await finalized(), 10)
  })

  it('is null when two have different blocks at its height, which is logged once', async () => {
    const [liar] = open(10, 10) as [Node, Node]
    liar.blocks = forged
    assert.equal(await finalized(), null)
    assert.equal(await finalized(), null)
    assert.equal(log.matching('disagree about the finalized block').length, 1)
  })

  it('skips a source for a while when most others contradict its block', async () => {
    const [liar] = open(10, 10, 10) as [Node, Node, Node]
    liar.blocks = forged
    assert.equal((await l1.blockRef('finalized'))?.hash, chain[10]?.hash)
    assert.equal(sources.current.host, 'l1-1')
    assert.match(String(log.matching('suspended')[0]?.fields.why), /another block at 10 than most/)
  })

  it('comes from the URLs that answer, and from a single configured URL', async () => {
    const [first] = open(7, 9) as [Node, Node]
    first.down = true
    assert.equal(await finalized(), 9)
    open(11)
    assert.equal(await finalized(), 11)
    open(null, 4)
    assert.equal(await finalized(), null, 'one of two does not say')
    open(null, 4, 4)
    assert.equal(await finalized(), 4)
  })

  it('causes no calls to the other sources while it does not change', async () => {
    const [, second] = open(7, 7) as [Node, Node]
    assert.equal(await finalized(), 7)
    const before = second.asked
    for (let i = 0; i < 5; i++) assert.equal(await finalized(), 7)
    assert.equal(second.asked, before)
  })
})
