/** Rows restart only the consensus client. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import type { Program } from './options.ts'
import type { RunningProcess } from './process-set.ts'
import { type ConsensusAt, KEELSON, konaNode, type Mode, opGeth, opNode, ourConsensus, ourExecution, ourSignerKey } from './programs.ts'
import type { ChainView } from './same-chain.ts'
import type { MixedName, World } from './world.ts'

export interface MixedNode extends ChainView {
  run(mode: Mode): Promise<void>
  pause(): Promise<void>
  multiaddr(): Promise<string>
  readonly metricsUrl: string
  readonly engine: { readonly url: string; readonly jwtFile: string }
}

/** Before Holocene, kona resets endlessly when its finalized block has L1 origin 1, because it takes block 0 for the epoch. */
const FIRST_FINAL_ORIGIN = 3

interface OriginsJson {
  readonly unsafe_l2: { readonly l1origin: { readonly number: number } }
  readonly finalized_l2: { readonly l1origin: { readonly number: number } }
}

export async function createMixedNode(world: World, name: MixedName): Promise<MixedNode> {
  const { processes } = world
  const slug = name.replaceAll(' ', '-')
  const folder = join(processes.folder, slug)
  mkdirSync(folder)
  const jwt = join(folder, 'jwt.hex')
  await processes.run(`${slug}-jwt`, process.execPath, [KEELSON, 'jwt', jwt])
  const execution = { folder: join(folder, 'execution'), jwt, http: world.nextPort(), engine: world.nextPort() }
  const at: ConsensusAt = {
    folder: join(folder, 'consensus'),
    jwt,
    engineUrl: `http://127.0.0.1:${execution.engine}`,
    rpc: world.nextPort(),
    p2p: world.nextPort(),
    metrics: world.nextPort(),
  }
  mkdirSync(at.folder)
  const rpcUrl = `http://127.0.0.1:${execution.http}`
  const rollupUrl = `http://127.0.0.1:${at.rpc}`
  let consensus: RunningProcess | null = null
  let running = ''

  if (name.endsWith('on op-geth')) {
    const genesis = await exportFor(world, 'op-geth-2024-10', folder)
    const binary = world.programs['op-geth'] as string
    await processes.run(`${slug}-init`, binary, [
      ...['init', '--datadir', execution.folder, '--state.scheme=hash', join(genesis, 'genesis.json')],
    ])
    await answering(processes.start(`${slug}-execution`, binary, opGeth(execution)), rpcUrl, 'eth_chainId')
  } else {
    const child = processes.start(`${slug}-execution`, process.execPath, [KEELSON, ...ourExecution(world, execution, at.rpc)])
    await answering(child, rpcUrl, 'eth_chainId')
  }
  const start = await consensusStarter(world, name, folder, at, slug)

  async function pause(): Promise<void> {
    await consensus?.stop()
    consensus = null
    running = ''
  }

  return {
    name,
    rpcUrl,
    rollupUrl,
    metricsUrl: `http://127.0.0.1:${at.metrics}/metrics`,
    engine: { url: at.engineUrl, jwtFile: jwt },
    async run(mode) {
      if (running === JSON.stringify(mode)) return
      await pause()
      const launch = async () => {
        consensus = start(mode)
        await answering(consensus, rollupUrl, 'optimism_syncStatus')
        if (mode.peers !== null && mode.peers.length > 0) await connected(rollupUrl, name, name === 'kona-node on ours' ? mode.peers : [])
      }
      if (name === 'kona-node on ours') await onCompleteChain(world, at, { name, rpcUrl, rollupUrl }, launch)
      else await launch()
      running = JSON.stringify(mode)
    },
    pause,
    async multiaddr() {
      const { peerID } = await rpcCall<{ peerID: string }>(rollupUrl, 'opp2p_self')
      return `/ip4/127.0.0.1/tcp/${at.p2p}/p2p/${peerID}`
    },
  }
}

/**
 * kona leaves missing blocks to the execution client's own network, which this rollup lacks. Our consensus client syncs the
 * execution client first.
 */
async function onCompleteChain(
  world: World,
  at: ConsensusAt,
  { rpcUrl, rollupUrl }: ChainView,
  launch: () => Promise<void>,
): Promise<void> {
  await eventually(`a block upon L1 block ${FIRST_FINAL_ORIGIN}`, async () => {
    const { unsafe_l2 } = await rpcCall<OriginsJson>(world.sequencer.rollupUrl, 'optimism_syncStatus')
    return unsafe_l2.l1origin.number >= FIRST_FINAL_ORIGIN
  })
  const head = await rpcCall<string>(world.sequencer.rollupUrl, 'admin_stopSequencer')
  try {
    const args = ourConsensus(world, { ...at, folder: join(at.folder, 'ours') }, { peers: null, sequencer: false })
    const ours = world.processes.start('catching-up', process.execPath, [KEELSON, ...args])
    await eventually('the execution client having the whole chain', async () => {
      const latest = await rpcCall<{ hash: string }>(rpcUrl, 'eth_getBlockByNumber', ['latest', false])
      const { finalized_l2 } = await rpcCall<OriginsJson>(rollupUrl, 'optimism_syncStatus')
      return latest.hash === head && finalized_l2.l1origin.number >= FIRST_FINAL_ORIGIN
    }).finally(() => ours.stop())
    await launch()
    await subscribed(world.sequencer.rollupUrl, rollupUrl)
  } finally {
    await rpcCall(world.sequencer.rollupUrl, 'admin_startSequencer', [head])
  }
}

async function consensusStarter(
  world: World,
  name: MixedName,
  folder: string,
  at: ConsensusAt,
  slug: string,
): Promise<(mode: Mode) => RunningProcess> {
  const { processes, programs } = world
  const foreign = (program: Program, args: readonly string[]) => processes.start(slug, programs[program] as string, args)
  if (name.startsWith('op-node')) {
    const config = await exportFor(world, 'op-node-2024-10', folder)
    return (mode) => foreign('op-node', opNode(world, at, config, mode))
  }
  if (name === 'kona-node on ours') {
    const config = await exportFor(world, 'kona', folder)
    return (mode) => foreign('kona-node', konaNode(world, at, config, mode))
  }
  return (mode) => processes.start(slug, process.execPath, [KEELSON, ...ourConsensus(world, at, mode)], { env: ourSignerKey(mode) })
}

async function exportFor(world: World, target: string, folder: string): Promise<string> {
  const out = join(folder, target)
  await world.processes.run(`export-${target}`, process.execPath, [
    ...[KEELSON, 'config', 'export', '--for', target, '--network', world.network, '--out', out],
  ])
  return out
}

async function answering(started: RunningProcess, url: string, method: string): Promise<void> {
  const answers = eventually(`${started.name} answering`, async () => {
    await rpcCall(url, method)
    return true
  })
  await Promise.race([answers, started.ended.then((tail) => Promise.reject(new Error(`${started.name} ended: ${tail.slice(-1_500)}`)))])
}

async function connected(rollupUrl: string, name: string, toDial: readonly string[]): Promise<void> {
  await eventually(`${name} being connected to its peers`, async () => {
    const { totalConnected, peers } = await rpcCall<{ totalConnected: number; peers: Readonly<Record<string, unknown>> }>(
      rollupUrl,
      'opp2p_peers',
      [true],
    )
    const missing = toDial.filter((address) => peers[address.slice(address.lastIndexOf('/') + 1)] === undefined)
    for (const peer of missing) await rpcCall(rollupUrl, 'opp2p_connectPeer', [peer])
    return totalConnected > 0 && missing.length === 0
  })
}

async function subscribed(publisher: string, listener: string): Promise<void> {
  const { peerID } = await rpcCall<{ peerID: string }>(listener, 'opp2p_self')
  await eventually('the subscription to blocks', async () => {
    const { peers } = await rpcCall<{ peers: Readonly<Record<string, { gossipBlocks: boolean }>> }>(publisher, 'opp2p_peers', [true])
    return peers[peerID]?.gossipBlocks === true
  })
}
