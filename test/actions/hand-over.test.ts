import assert from 'node:assert/strict'
import { createHandOverWorld, type HandOverWorld, type Member } from '../support/hand-over-world.ts'

const unsafe = (member: Member) => member.node.heads().unsafe
const other = ({ members }: HandOverWorld, than: Member) => members.find((member) => member !== than) as Member

async function started(
  options: Parameters<typeof createHandOverWorld>[0] = {},
): Promise<{ net: HandOverWorld; leader: Member; standby: Member }> {
  const net = await createHandOverWorld(options)
  await net.until('an active leader', () => net.leading() !== null && (net.arbiter.head?.number ?? 0) >= 3)
  const leader = net.leading() as Member
  return { net, leader, standby: other(net, leader) }
}

async function assertAgreement(net: HandOverWorld): Promise<void> {
  const head = Math.min(...net.members.map(unsafe))
  const [first, ...others] = net.members as [Member, ...Member[]]
  for (const member of others)
    for (let number = 0; number <= head; number++)
      assert.equal(await member.node.hashAt(number), await first.node.hashAt(number), `block ${number} of ${member.id}`)
}

describe('the hand-over between sequencers', () => {
  it('starts one of the candidates, and builds a block in every block time', async () => {
    const { net, leader, standby } = await started()
    const from = unsafe(leader)
    await net.advance(20)
    assert.equal(unsafe(leader), from + 10)
    assert.equal(unsafe(standby), from + 10)
    assert.equal(net.arbiter.head?.number, from + 10)
    assert.equal(standby.node.consensus.sequencer?.active, false)
    assert.equal(net.arbiter.term, 1)
    await net.world.stop()
  })

  it('delays the chain by a few blocks when the leader dies, and loses none', async () => {
    const { net, leader, standby } = await started()
    const head = unsafe(leader)
    net.kill(leader)
    const seconds = await net.until('the standby seals', () => unsafe(standby) > head)
    assert.ok(seconds <= 6, `${seconds} s`)
    await net.advance(20)
    const due = Math.floor((net.world.clock.nowMs() / 1000 - net.world.config.genesis.l2TimestampSec) / 2)
    assert.equal(unsafe(standby), due, 'the blocks of that time are made up')
    await net.revive(leader)
    await net.advance(20)
    assert.equal(unsafe(leader), unsafe(standby))
    assert.equal(leader.node.consensus.sequencer?.active, false)
    await assertAgreement(net)
    await net.world.stop()
  })

  it('continues from a block that was recorded but never gossiped', async () => {
    const { net, leader, standby } = await started()
    leader.gossipCut = true
    standby.gossipCut = true
    const before = unsafe(standby)
    await net.advance(6)
    const recorded = net.arbiter.head
    assert.equal(unsafe(standby), before)
    assert.equal(recorded?.number, before + 3)
    net.kill(leader)
    await net.until('the standby seals', () => unsafe(standby) > (recorded?.number ?? 0))
    assert.equal(await standby.node.hashAt(recorded?.number ?? 0), recorded?.hash)
    await net.world.stop()
  })

  it('records a block once when it is offered again after a lost answer', async () => {
    const { net, leader } = await started()
    leader.answersLost = true
    const head = unsafe(leader)
    await net.advance(4)
    assert.equal(unsafe(leader), head)
    assert.equal(net.arbiter.head?.number, head + 1)
    leader.answersLost = false
    await net.advance(10)
    assert.equal(net.arbiter.term, 1)
    assert.ok(unsafe(leader) >= head + 6)
    assert.equal(await leader.node.hashAt(head + 1), (await other(net, leader).node.hashAt(head + 1)) as string)
    await net.world.stop()
  })

  it('stops a leader without the conductor, and continues when the conductor is back', async () => {
    const { net, leader, standby } = await started()
    const head = unsafe(leader)
    net.conductorDown = true
    await net.advance(30)
    assert.deepEqual([unsafe(leader), unsafe(standby)], [head, head])
    assert.ok(leader.node.consensus.driver.degraded.some(({ why }) => why.includes('connection refused')))
    net.restartConductor()
    net.conductorDown = false
    await net.advance(6)
    assert.ok(unsafe(leader) >= head + 16, `${unsafe(leader)}`)
    assert.equal(net.arbiter.term, 1, 'the lease outlives the conductor')
    await net.world.stop()
  })

  it('stops a leader that was cut off when it returns, without losing a published block', async () => {
    const { net, leader, standby } = await started()
    leader.cutOff = true
    leader.unreachable = true
    leader.gossipCut = true
    const head = unsafe(leader)
    await net.until('the standby seals', () => unsafe(standby) >= head + 5)
    assert.equal(unsafe(leader), head, 'what is not recorded is not inserted')
    assert.equal(leader.node.consensus.sequencer?.active, true, 'it is still unaware')
    leader.cutOff = false
    leader.unreachable = false
    leader.gossipCut = false
    await net.advance(10)
    assert.equal(leader.node.consensus.sequencer?.active, false)
    assert.equal(unsafe(leader), unsafe(standby))
    await assertAgreement(net)
    await net.world.stop()
  })

  it('rejects a standby that has not caught up, and names the reason', async () => {
    const { net, leader, standby } = await started()
    standby.node.engineDown = true
    await net.advance(20)
    await assert.rejects(
      async () => standby.node.consensus.sequencer?.start((net.arbiter.head as { hash: `0x${string}` }).hash as never),
      /sequencer is not the leader, aborting/,
    )
    standby.node.engineDown = false
    await standby.node.loseExecutionStore()
    await standby.node.loseConsensusStore()
    assert.match((await net.arbiter.transfer(standby.id)) ?? '', /cannot lead/)
    assert.equal(net.leading(), leader)
    await net.world.stop()
  })

  it('moves leadership on request of the operator without a missed slot', async () => {
    const { net, leader, standby } = await started()
    const head = unsafe(leader)
    await net.advance(1)
    assert.equal(await net.operator.conductor_transferLeaderToServer?.([standby.id, ''], {} as never), null)
    await net.advance(9)
    assert.equal(net.leading(), standby)
    assert.equal(unsafe(standby), head + 5)
    await net.world.stop()
  })

  it('keeps the leadership while it is paused, and still records blocks', async () => {
    const { net, leader, standby } = await started()
    await net.operator.conductor_pause?.([], {} as never)
    await net.advance(6)
    net.kill(leader)
    const head = unsafe(standby)
    await net.advance(30)
    assert.equal(unsafe(standby), head)
    await net.operator.conductor_resume?.([], {} as never)
    await net.until('the standby seals', () => unsafe(standby) > head, 15)
    await net.world.stop()
  })

  it('moves on within seconds from a new leader that cannot build (33 minutes of August 2025)', async () => {
    const net = await createHandOverWorld({ members: 3 })
    await net.until('an active leader', () => net.leading() !== null && (net.arbiter.head?.number ?? 0) >= 3)
    const leader = net.leading() as Member
    const [broken, good] = net.members.filter((member) => member !== leader) as [Member, Member]
    broken.cannotBuild = true
    const head = unsafe(leader)
    assert.equal(await net.arbiter.transfer(broken.id), null)
    net.kill(leader)
    const seconds = await net.until('new blocks', () => unsafe(good) > head)
    assert.ok(seconds <= 12, `${seconds} s`)
    assert.equal(net.leading(), good)
    await net.advance(30)
    assert.equal(net.leading(), good, 'the broken one is not tried again while another is well')
    assert.equal(unsafe(broken), unsafe(good), 'it follows')
    await net.world.stop()
  })

  it('abandons blocks whose L1 origin was replaced, and the chain continues', async () => {
    const { net, leader, standby } = await started()
    net.world.startBatcher()
    await net.advance(30)
    net.world.l1.reorg(3, { newBlocks: 5 })
    await net.advance(60)
    const head = Math.max(unsafe(leader), unsafe(standby))
    const due = Math.floor((net.world.clock.nowMs() / 1000 - net.world.config.genesis.l2TimestampSec) / 2)
    assert.ok(head >= due - 1, `head ${head}, due ${due}`)
    assert.ok(leader.node.heads().safe > 20)
    await assertAgreement(net)
    await net.world.stop()
  })

  it('keeps the blocks of a sequencer that ran alone, and nobody builds on the old recorded head', async () => {
    const { net, leader, standby } = await started()
    await net.advance(10)
    const recorded = net.arbiter.head?.number ?? 0
    for (const member of net.members) net.kill(member)
    net.conductorDown = true
    leader.alone = true
    await net.revive(leader)
    await net.world.settle()
    await leader.node.consensus.sequencer?.start((await leader.node.hashAt(unsafe(leader))) as never)
    await net.advance(40)
    const madeAlone = unsafe(leader)
    assert.ok(madeAlone >= recorded + 15, `${madeAlone}`)
    const last = await leader.node.hashAt(madeAlone)
    net.kill(leader)
    leader.alone = false

    net.restartConductor()
    net.conductorDown = false
    await net.revive(standby)
    await net.advance(10)
    assert.equal(unsafe(standby), recorded, 'the other may hold more')
    await net.revive(leader)
    const seconds = await net.until('new blocks', () => unsafe(leader) > madeAlone)
    assert.ok(seconds <= 6, `${seconds} s`)
    await net.advance(40)
    assert.equal(await leader.node.hashAt(madeAlone), last)
    for (const [number, hashes] of net.sealed) assert.equal(hashes.size, 1, `block ${number} was sealed twice`)
    assert.equal(unsafe(leader), net.arbiter.head?.number)
    await assertAgreement(net)
    await net.world.stop()
  })

  it('restarts without records from the highest block of any candidate, once all have answered', async () => {
    const { net, leader, standby } = await started()
    net.kill(leader)
    net.restartConductor({ emptied: true })
    const head = unsafe(standby)
    await net.advance(20)
    assert.equal(net.arbiter.head, null)
    assert.equal(unsafe(standby), head)
    await net.revive(leader)
    await net.advance(20)
    assert.ok(unsafe(standby) > head + 10)
    await assertAgreement(net)
    await net.world.stop()
  })
})
