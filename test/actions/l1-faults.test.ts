import assert from 'node:assert/strict'
import { ClientError, createFailOverL1Client, createL1Client, createL1Sources, type L1Client } from '@keelson/client'
import { createSeededRandom } from '@keelson/runtime'
import { type AnswerChange, createL1Rpc, type L1Rpc, methodNotFound } from '../support/l1-rpc.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const CHAIN_SEC = 60
const TIME_TO_FOLLOW_SEC = 240

const rateLimited = () => new ClientError('client/rate-limited', 'temporary', 'l1.example limits our rate: slow down', { retryAfterSec: 1 })

function firstTimes(times: number): (key: string) => boolean {
  const seen = new Map<string, number>()
  return (key) => {
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return count <= times
  }
}

describe('an L1 provider that', () => {
  let world: World
  beforeEach(async () => {
    world = await createWorld()
    world.startBatcher({ dataAvailability: 'blobs' })
    await world.advance(CHAIN_SEC)
  })
  afterEach(() => world.stop())

  async function follow(l1: L1Client): Promise<WorldNode> {
    return world.addFollower('validator', { gossip: false, wire: (real) => ({ ...real, l1 }) })
  }
  async function assertFollows(follower: WorldNode): Promise<void> {
    const goal = world.sequencer.heads().safe
    assert.ok(goal >= 20, `the sequencer's safe head is ${goal}`)
    for (let waited = 0; follower.heads().safe < goal && waited < TIME_TO_FOLLOW_SEC; waited += 4) await world.advance(4)
    const { safe } = follower.heads()
    assert.ok(safe >= goal, `safe ${safe} of ${goal}`)
    for (let number = 1; number <= goal; number++) {
      assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
    }
    assert.equal(follower.log.matching('derivation reset').length, 0, 'resets')
  }
  async function follows(change: AnswerChange, l1 = createL1Rpc(world.l1)): Promise<{ follower: WorldNode; l1: L1Rpc }> {
    l1.change = change
    const follower = await follow(createL1Client(l1.rpc))
    await assertFollows(follower)
    return { follower, l1 }
  }

  it('answers one request in four with 429', async () => {
    const random = createSeededRandom(429)
    let count = 0
    await follows((_method, _params, answer) => {
      if (random.next() < 0.25) {
        count++
        throw rateLimited()
      }
      return answer
    })
    assert.ok(count > 10)
  })

  it('is behind a load balancer, where a block just announced is null twice on the next node', async () => {
    const late = firstTimes(2)
    await follows((method, params, answer) =>
      method === 'eth_getBlockByHash' && params[1] === true && late(String(params[0])) ? null : answer,
    )
  })

  it('announces a block by number before its hash is known', async () => {
    const late = firstTimes(3)
    await follows((method, params, answer) => (method === 'eth_getBlockByHash' && late(String(params[0])) ? null : answer))
  })

  it('returns null, then an empty list, for receipts that are still being indexed', async () => {
    const none = firstTimes(1)
    const empty = firstTimes(2)
    await follows((method, params, answer) => {
      if (method !== 'eth_getBlockReceipts') return answer
      const hash = String(params[0])
      const [isNone, isEmpty] = [none(hash), empty(hash)]
      return isNone ? null : isEmpty ? [] : answer
    })
  })

  it('lacks eth_getBlockReceipts and occasionally loses a receipt', async () => {
    const late = firstTimes(1)
    const { l1 } = await follows((method, params, answer) => {
      if (method === 'eth_getBlockReceipts') throw methodNotFound(method)
      return method === 'eth_getTransactionReceipt' && late(String(params[0])) ? null : answer
    })
    const methods = l1.rpc.calls.map(({ method }) => method)
    assert.equal(methods.filter((method) => method === 'eth_getBlockReceipts').length, 1, 'asked once')
    assert.ok(methods.includes('eth_getTransactionReceipt'))
  })

  it('serves only the required methods', async () => {
    const { l1 } = await follows((_method, _params, answer) => answer)
    assert.deepEqual([...new Set(l1.rpc.calls.map(({ method }) => method))].sort(), [
      'eth_getBlockByHash',
      'eth_getBlockByNumber',
      'eth_getBlockReceipts',
    ])
  })

  it('alternates between two heights like replicas', async () => {
    let asked = 0
    const l1 = createL1Rpc(world.l1)
    const { follower } = await follows((method, params, answer) => {
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || asked++ % 2 === 0) return answer
      return l1.show(`0x${Math.max(0, world.l1.head.number - 2).toString(16)}`, false)
    }, l1)
    await world.advance(40)
    await assertFollows(follower)
    assert.ok(asked > 10)
  })

  it('lies about transactions is suspended, and another one is used', async () => {
    const [liar, honest] = [createL1Rpc(world.l1, 'liar.example'), createL1Rpc(world.l1, 'honest.example')]
    liar.change = (method, params, answer) => {
      if (method !== 'eth_getBlockByHash' || params[1] !== true || answer === null) return answer
      return { ...(answer as object), transactions: [] }
    }
    const log = createRecordingLogger()
    const members = [liar, honest].map(({ rpc }) => ({ host: rpc.host, rpc, client: createL1Client(rpc) }))
    const sources = createL1Sources({ chainId: world.l1.chain.chainId }, members, {
      clock: world.clock,
      random: createSeededRandom(1),
      log,
    })
    await assertFollows(await follow(createFailOverL1Client(sources, log)))
    const [aside] = log.matching('L1 at liar.example is suspended')
    assert.match(String(aside?.fields.why), /liar\.example.*transactions/)
  })

  it('has lost a block permanently: the node names the block, waits, and continues when it is back', async () => {
    const l1 = createL1Rpc(world.l1)
    const lost = world.l1.block(8)?.ref
    assert.ok(lost)
    l1.change = (method, params, answer) =>
      method === 'eth_getBlockByHash' && params[0] === lost.hash && params[1] === true ? null : answer
    const follower = await follow(createL1Client(l1.rpc))
    await world.advance(40)
    assert.ok(follower.heads().safe < world.sequencer.heads().safe)
    const [said] = follower.log.lines.filter(
      ({ level, fields }) => level === 'warn' && String(fields.reason ?? fields.why).includes(lost.hash),
    )
    assert.match(JSON.stringify(said), /does not know block 8/)
    l1.change = null
    await assertFollows(follower)
  })

  it('keeps no old blobs: the node names block and hash, follows gossip, and derives when an archive has them', async () => {
    world.l1.blobsMissing = true
    const follower = await world.addFollower('validator')
    await world.advance(60)
    assert.equal(follower.heads().safe, 0)
    assert.match(JSON.stringify(follower.log.lines.filter(({ level }) => level === 'warn')), /blob 0x01[0-9a-f]{62} is not available/)
    world.l1.blobsMissing = false
    await assertFollows(follower)
    await world.advance(4)
    assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe)
  })
})
