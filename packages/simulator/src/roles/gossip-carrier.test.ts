import assert from 'node:assert/strict'
import { createBlockValidator, createMemoryGossipNetwork, type UnsafeGossip } from '@keelson/consensus'
import { createNativeCrypto } from '@keelson/node/assembly'
import { toAddress } from '@keelson/primitives'
import { createSeed } from '../core/seed.ts'
import type { SimProcess } from '../core/sim-process.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedNetwork } from '../network/simulated-network.ts'
import { createGossipCarrier } from './gossip-carrier.ts'

const START_MS = 1_800_000_000_000
const MESSAGE = Uint8Array.of(1, 2, 3)
const NAMES = ['a', 'b', 'c']

type Verdict = 'accept' | 'ignore'

describe('attestations in simulated gossip', () => {
  let simulation: Simulation
  let network: SimulatedNetwork
  let processes: Map<string, SimProcess>
  let members: Map<string, UnsafeGossip>
  let heard: string[]
  let verdict: Verdict

  beforeEach(async () => {
    simulation = new Simulation(createSeed(1), START_MS)
    network = new SimulatedNetwork(simulation)
    processes = new Map(NAMES.map((name) => [name, simulation.process(`${name}/consensus`)]))
    members = new Map()
    heard = []
    verdict = 'accept'
    const gossip = createMemoryGossipNetwork(createGossipCarrier(network, (name) => processes.get(name) ?? null))
    for (const name of NAMES) {
      const validator = createBlockValidator({
        chainId: 1n,
        signer: () => toAddress(`0x${'11'.repeat(20)}`),
        nowMs: () => simulation.nowMs,
        unsupportedFork: null,
        usesBlobGasField: () => false,
        crypto: createNativeCrypto(),
      })
      const member = gossip.join({ name, chainId: 1n, validator, signer: null })
      member.attestations.open(async (message, from) => {
        assert.deepEqual(message, MESSAGE)
        heard.push(`${from}>${name}`)
        return verdict
      })
      await member.start()
      members.set(name, member)
    }
  })

  const publish = async () => {
    processes.get('a')?.after(0, 'publish', () => void members.get('a')?.attestations.publish(MESSAGE))
    await simulation.run(simulation.nowMs + 1_000)
    return heard.sort()
  }
  const cut = (one: string, other: string) => {
    network.cut(one, other)
    network.cut(other, one)
  }

  it('reach everybody once', async () => {
    assert.deepEqual(await publish(), ['a>b', 'a>c'])
  })

  it('reach a member that is cut off from the sender through another that accepts them', async () => {
    cut('a', 'c')
    assert.deepEqual(await publish(), ['a>b', 'b>c'])
  })

  it('are not passed on by a member that ignores them', async () => {
    verdict = 'ignore'
    cut('a', 'c')
    assert.deepEqual(await publish(), ['a>b'])
  })

  it('reach nobody across a cut link, and a frozen process only when it runs again', async () => {
    cut('a', 'b')
    processes.get('c')?.freeze()
    assert.deepEqual(await publish(), [])
    processes.get('c')?.thaw()
    await simulation.run(simulation.nowMs + 1_000)
    assert.deepEqual(heard.sort(), ['a>c', 'c>b'])
  })
})
