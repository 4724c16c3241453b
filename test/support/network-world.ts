/** Execution clients with peers, over a network in memory. */
import { DEFAULT_PEERS, type ExecutionNetwork, openNodeKey, type PeersOptions } from '@keelson/execution'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from './execution-world.ts'
import { createMemoryNetwork, type MemoryNetwork } from './memory-transport.ts'

export interface NetworkedWorld extends ExecutionWorld {
  readonly network: ExecutionNetwork
  readonly enode: string
}

export interface WorldNetwork {
  /** The key of a node is made of `name`'s first letter. */
  join(
    name: string,
    options?: ExecutionWorldOptions,
    network?: Partial<PeersOptions> & { readonly networkId?: bigint; readonly gossipTransactions?: boolean },
  ): Promise<NetworkedWorld>
  stop(): Promise<void>
}

export function createWorldNetwork(memory: MemoryNetwork = createMemoryNetwork()): WorldNetwork {
  const worlds: NetworkedWorld[] = []
  return {
    async join(name, options = {}, { networkId = 901n, gossipTransactions = true, ...peers } = {}) {
      const key = openNodeKey(new Uint8Array(32).fill(name.charCodeAt(0)))
      const world = await createExecutionWorld({
        ...options,
        p2p: {
          sync: 'full',
          key,
          transport: memory.transport(name),
          options: { client: name, networkId, gossipTransactions, peers: { ...DEFAULT_PEERS, ...peers }, discovery: null },
        },
      })
      const own = world.node.network as ExecutionNetwork
      await own.start(new AbortController().signal)
      const joined = { ...world, network: own, enode: `enode://${Buffer.from(key.publicKey).toString('hex')}@${name}:30303` }
      worlds.push(joined)
      return joined
    },
    async stop() {
      for (const { network, node, clock } of worlds) {
        const stopped = network.stop()
        await clock.advance(2_000)
        await stopped
        await node.stop()
      }
    },
  }
}

export async function connect(a: NetworkedWorld, b: NetworkedWorld): Promise<void> {
  await a.call('admin_addPeer', b.enode)
  await until(a, () => a.network.connected.list().length > 0 && b.network.connected.list().length > 0)
}

/** Advances the clock of `world` in steps until the condition holds. */
export async function until(world: NetworkedWorld, holds: () => boolean): Promise<void> {
  for (let i = 0; i < 2_000 && !holds(); i++) await world.clock.advance(5)
  if (!holds()) throw new Error('the condition did not come true within 10 s of the clock')
}
