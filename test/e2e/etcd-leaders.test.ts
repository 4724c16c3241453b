import assert from 'node:assert/strict'
import { claimE2ePorts, portsOf } from '../support/e2e-ports.ts'
import { assertOneBlockAtEachHeight, describeTimes, FAULTS, type FailOver, failOver } from '../support/etcd/fail-overs.ts'
import { findEtcd } from '../support/etcd/find-etcd.ts'
import { assertSameSafeChain, type LeaderNetwork, startLeaderNetwork } from '../support/etcd/leader-network.ts'
import { eventually } from '../support/eventually.ts'

const etcd = findEtcd()

describe(`three sequencers with a conductor each${etcd === null ? ', without tests because etcd is not installed' : `, on ${etcd.version}`}`, () => {
  if (etcd === null) return
  let network: LeaderNetwork
  before(async () => {
    network = await startLeaderNetwork(portsOf((await claimE2ePorts()).offset))
    await eventually('the first blocks', async () => (await network.head()) >= 2)
  })
  after(() => network?.close())

  it('go on when the machine of the leader is killed, frozen or cut off from etcd, with one block at each height', async () => {
    const failOvers: FailOver[] = []
    for (const fault of FAULTS) failOvers.push(await failOver(network, fault))
    console.log(`      a new leader: ${describeTimes(failOvers.map(({ leaderMs }) => leaderMs))}`)
    console.log(`      its first block: ${describeTimes(failOvers.map(({ blockMs }) => blockMs))}`)
    assertOneBlockAtEachHeight(network)
  })

  it('seal nothing without a quorum of etcd, and go on with it', async () => {
    const [one, two] = network.machines.slice(0, 2).map(({ roles }) => roles.etcd)
    assert.ok(one && two)
    one.freeze()
    two.freeze()
    await eventually('every conductor saying so', async () =>
      network.machines.every(({ roles }) => roles.conductor.output.some((line) => line.includes('the quorum of etcd is lost'))),
    )
    await eventually('no conductor leading', async () => (await network.leader()) === null)
    const head = await network.head()
    await eventually('a block being refused', async () =>
      network.machines.some(({ roles }) => roles.conductor.output.slice(-40).some((line) => line.includes('a block is not recorded'))),
    )
    assert.equal(await network.head(), head)
    one.thaw()
    two.thaw()
    await eventually('blocks going on', async () => (await network.head()) > head + 1)
    assertOneBlockAtEachHeight(network)
  })

  it('agree on every safe block, the ones before all faults included', async () => {
    await assertSameSafeChain(network)
    assertOneBlockAtEachHeight(network)
  })
})
