import assert from 'node:assert/strict'
import { type Conductor, ConsensusError } from '@keelson/consensus'
import { envelopeToJson } from '@keelson/primitives'
import type { RpcError } from '@keelson/runtime'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const context = { signal: new AbortController().signal, transport: 'http' as const }
const OTHER_HASH = `0x${'11'.repeat(32)}`
const INVALID_PARAMS = -32602
const SERVER_ERROR = -32000

async function admin(node: WorldNode, method: string, ...params: unknown[]): Promise<unknown> {
  const handler = node.consensus.adminMethods[`admin_${method}`]
  assert.ok(handler, `admin_${method}`)
  return handler(params, context)
}

async function assertRefused(answer: Promise<unknown>, number: number, message: RegExp): Promise<void> {
  await assert.rejects(answer, (error: RpcError) => {
    assert.equal(error.number, number)
    assert.match(error.message, message)
    return true
  })
}

describe('admin_*', () => {
  let world: World
  beforeEach(async () => {
    world = await createWorld()
    await world.advance(6)
  })
  afterEach(() => world.stop())

  it('startSequencer starts only on the unsafe head, and otherwise names the problem', async () => {
    const { sequencer } = world
    await assertRefused(admin(sequencer, 'startSequencer', await sequencer.hashAt(3)), SERVER_ERROR, /^sequencer already running$/)
    const head = await admin(sequencer, 'stopSequencer')
    await assertRefused(
      admin(sequencer, 'startSequencer', OTHER_HASH),
      SERVER_ERROR,
      /block hash does not match: head 0x[0-9a-f]{64} \(block 3\), received 0x1111/,
    )
    for (const bad of [[], [null], [17], ['0x12'], ['latest']])
      await assertRefused(admin(sequencer, 'startSequencer', ...bad), INVALID_PARAMS, /unsafe head to start on/)
    assert.equal(await admin(sequencer, 'sequencerActive'), false)
    assert.equal(await admin(sequencer, 'startSequencer', head), null)
    assert.equal(await admin(sequencer, 'sequencerActive'), true)
  })

  it('stopSequencer returns the head once', async () => {
    const { sequencer } = world
    assert.equal(await admin(sequencer, 'stopSequencer'), await sequencer.hashAt(3))
    await assertRefused(admin(sequencer, 'stopSequencer'), SERVER_ERROR, /^sequencer not running$/)
  })

  it('the sequencer keeps its started or stopped state over a restart and logs it', async () => {
    const { sequencer } = world
    const head = await admin(sequencer, 'stopSequencer')
    await sequencer.restart()
    await world.advance(6)
    assert.equal(await admin(sequencer, 'sequencerActive'), false)
    assert.equal(sequencer.heads().unsafe, 3)
    assert.equal(sequencer.log.matching('the sequencer stays stopped').length, 1)
    await admin(sequencer, 'startSequencer', head)
    await sequencer.restart()
    await world.advance(6)
    assert.ok(sequencer.heads().unsafe >= 8)
  })

  it('a follower is not a sequencer', async () => {
    const follower = await world.addFollower('validator')
    await world.advance(2)
    assert.equal(await admin(follower, 'sequencerActive'), false)
    assert.equal(await admin(follower, 'conductorEnabled'), false)
    for (const [method, ...params] of [
      ['startSequencer', OTHER_HASH],
      ['stopSequencer'],
      ['overrideLeader'],
      ['setRecoverMode', true],
    ] as const)
      await assertRefused(admin(follower, method, ...params), SERVER_ERROR, /this node follows/)
  })

  it('postUnsafePayload accepts an envelope with a correct hash', async () => {
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(2)
    const envelope = envelopeToJson(await world.sequencer.payloadAt(1)) as { executionPayload: Record<string, unknown> }
    await assertRefused(
      admin(follower, 'postUnsafePayload', { ...envelope, executionPayload: { ...envelope.executionPayload, gasUsed: '0x1' } }),
      INVALID_PARAMS,
      /payload has bad block hash: 0x[0-9a-f]{64}, actual block hash is: 0x[0-9a-f]{64}/,
    )
    const withdrawal = { index: '0x0', validatorIndex: '0x0', address: `0x${'00'.repeat(20)}`, amount: '0x0' }
    await assertRefused(
      admin(follower, 'postUnsafePayload', { ...envelope, executionPayload: { ...envelope.executionPayload, withdrawals: [withdrawal] } }),
      INVALID_PARAMS,
      /withdrawals: expected an empty list, got 1/,
    )
    for (const bad of [[], [null], [7], [{}], [{ executionPayload: {} }], [{ ...envelope, parentBeaconBlockRoot: '0x1' }]])
      await assertRefused(admin(follower, 'postUnsafePayload', ...bad), INVALID_PARAMS, /./)
    assert.equal(await admin(follower, 'postUnsafePayload', envelope), null)
    await follower.settle()
    assert.equal(follower.heads().unsafe, 1)
  })

  it('resetDerivationPipeline restarts derivation and loses nothing', async () => {
    const { sequencer } = world
    assert.equal(await admin(sequencer, 'resetDerivationPipeline'), null)
    await world.advance(4)
    assert.equal(sequencer.log.matching('derivation reset').length, 1)
    assert.equal(sequencer.heads().unsafe, 5)
  })

  it('setRecoverMode accepts true or false', async () => {
    for (const bad of [[], ['true'], [1]])
      await assertRefused(admin(world.sequencer, 'setRecoverMode', ...bad), INVALID_PARAMS, /true or false/)
    assert.equal(await admin(world.sequencer, 'setRecoverMode', true), null)
    assert.equal(await admin(world.sequencer, 'setRecoverMode', false), null)
  })

  it('setLogLevel accepts a level when the log can be changed', async () => {
    await assertRefused(admin(world.sequencer, 'setLogLevel', 'debug'), SERVER_ERROR, /cannot be changed/)
    const levels: string[] = []
    const known = ['debug', 'info']
    const setLogLevel = (level: string) => {
      if (!known.includes(level)) return known
      levels.push(level)
      return null
    }
    const other = await createWorld({ wire: (real) => ({ ...real, setLogLevel }) })
    assert.equal(await admin(other.sequencer, 'setLogLevel', 'debug'), null)
    assert.deepEqual(levels, ['debug'])
    await assertRefused(admin(other.sequencer, 'setLogLevel', 'loud'), INVALID_PARAMS, /expected one of debug, info, got loud/)
    await assertRefused(admin(other.sequencer, 'setLogLevel'), INVALID_PARAMS, /expected a word/)
    await other.stop()
  })
})

describe('admin_* of a sequencer with a conductor', () => {
  let leads = true
  let answers = true
  let overridden = false
  const conductor: Conductor = {
    enabled: true,
    async leader() {
      if (!answers) throw new ConsensusError('consensus/conductor', 'temporary', 'conductor_leader: connection refused')
      return overridden || leads
    },
    async commitUnsafePayload() {
      if (!overridden && !leads) throw new ConsensusError('consensus/conductor', 'temporary', 'not the leader')
    },
    overrideLeader() {
      overridden = true
    },
  }
  beforeEach(() => {
    leads = true
    answers = true
    overridden = false
  })

  it('waits for its conductor after each start, whatever the operator did before', async () => {
    const world = await createWorld({ wire: (real) => ({ ...real, conductor }) })
    const { sequencer } = world
    await world.advance(6)
    assert.equal(await admin(sequencer, 'conductorEnabled'), true)
    assert.equal(await admin(sequencer, 'sequencerActive'), false)
    assert.equal(sequencer.heads().unsafe, 0)
    await admin(sequencer, 'startSequencer', await sequencer.hashAt(0))
    await world.advance(4)
    assert.equal(sequencer.heads().unsafe, 5)
    await sequencer.restart()
    await world.advance(4)
    assert.equal(await admin(sequencer, 'sequencerActive'), false)
    await world.stop()
  })

  it('starts only as the leader, and only when it can build', async () => {
    const world = await createWorld({ wire: (real) => ({ ...real, conductor }) })
    const { sequencer } = world
    await world.advance(4)
    const head = await sequencer.hashAt(0)
    leads = false
    await assertRefused(admin(sequencer, 'startSequencer', head), SERVER_ERROR, /^sequencer is not the leader, aborting$/)
    leads = true
    answers = false
    await assertRefused(admin(sequencer, 'startSequencer', head), SERVER_ERROR, /connection refused/)
    answers = true
    world.l1.unreachable = true
    await sequencer.restart()
    await sequencer.settle()
    await assertRefused(admin(sequencer, 'startSequencer', head), SERVER_ERROR, /cannot lead yet: the start of derivation is not known/)
    await world.stop()
  })

  it('overrideLeader seals without the conductor', async () => {
    const world = await createWorld({ wire: (real) => ({ ...real, conductor }) })
    const { sequencer } = world
    await world.advance(4)
    await admin(sequencer, 'startSequencer', await sequencer.hashAt(0))
    leads = false
    await world.advance(6)
    assert.equal(sequencer.heads().unsafe, 0)
    assert.ok(sequencer.consensus.driver.degraded.some(({ why }) => why.includes('not the leader')))
    assert.equal(await admin(sequencer, 'leaderOverridden'), false)
    assert.equal(await admin(sequencer, 'overrideLeader'), null)
    assert.equal(await admin(sequencer, 'leaderOverridden'), true)
    await world.advance(4)
    assert.ok(sequencer.heads().unsafe >= 6, `${sequencer.heads().unsafe}`)
    await world.stop()
  })
})
