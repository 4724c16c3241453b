import assert from 'node:assert/strict'
import { claimE2ePorts, portsOf } from '../support/e2e-ports.ts'
import { assertOneBlockAtEachHeight, describeTimes, FAULTS, type FailOver, failOver, setPartition } from '../support/etcd/fail-overs.ts'
import { findEtcd } from '../support/etcd/find-etcd.ts'
import { assertSameSafeChain, type LeaderNetwork, startLeaderNetwork } from '../support/etcd/leader-network.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'

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

  const freezeTwo = (isLost: boolean) => {
    for (const { roles } of network.machines.slice(0, 2)) isLost ? roles.etcd.freeze() : roles.etcd.thaw()
  }
  const partAll = (isLost: boolean) => {
    const [one, two, three] = network.machines
    assert.ok(one && two && three)
    for (const [a, b] of [
      [one, two],
      [one, three],
      [two, three],
    ] as const)
      setPartition(a, b, isLost)
  }
  const storesReached = () =>
    Promise.all(
      network.machines.map(async ({ ports }) => {
        const metrics = await fetch(`http://127.0.0.1:${ports.conductorMetrics}/metrics`, { signal: AbortSignal.timeout(5_000) })
        return /^keelson_conductor_store_reachable (\d)/m.exec(await metrics.text())?.[1]
      }),
    )
  const sequencersActive = () =>
    Promise.all(network.machines.map(({ ports }) => rpcCall(`http://127.0.0.1:${ports.rollup}`, 'admin_sequencerActive')))
  for (const [symptom, setLost] of [
    ['seal nothing while two of three members of etcd are frozen, and go on with a quorum', freezeTwo],
    ['seal nothing and have no leader while no member of etcd reaches another, and go on with a quorum', partAll],
  ] as const) {
    it(symptom, async () => {
      await eventually('every conductor reaching etcd', async () => (await storesReached()).every((reached) => reached === '1'))
      setLost(true)
      await eventually('no conductor reaching a quorum', async () => (await storesReached()).every((reached) => reached === '0'))
      await eventually('no conductor leading', async () => (await network.leader()) === null)
      const head = await network.head()
      await eventually('no sequencer being active', async () => (await sequencersActive()).every((active) => active === false))
      assert.deepEqual([await network.leader(), await network.head()], [null, head])
      setLost(false)
      await eventually('blocks going on', async () => (await network.head()) > head + 1)
      assertOneBlockAtEachHeight(network)
    })
  }

  it('agree on every safe block, the ones before all faults included', async () => {
    await assertSameSafeChain(network)
    assertOneBlockAtEachHeight(network)
  })
})
