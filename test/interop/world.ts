import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { prepareCrossing } from './crossing.ts'
import { createMixedNode, type MixedNode } from './mixed-node.ts'
import type { InteropOptions, Programs } from './options.ts'
import { createProcessSet, type ProcessSet } from './process-set.ts'
import type { Preset } from './row.ts'
import type { ChainView } from './same-chain.ts'

export type MixedName = 'ours on ours' | 'ours on op-geth' | 'op-node on ours' | 'op-node on op-geth' | 'kona-node on ours'

export interface World {
  readonly devnet: DevnetProcess
  readonly programs: Programs
  readonly processes: ProcessSet
  readonly network: string
  readonly sequencer: ChainView
  readonly validator: ChainView
  readonly batcherAdminUrl: string
  readonly proposerAdminUrl: string
  nextPort(): number
  node(name: MixedName): Promise<MixedNode>
  nodes(): readonly MixedNode[]
  stop(): Promise<void>
}

const FIRST_PORT = 10_000
const PORTS = 120

export async function openWorld(preset: Preset, options: InteropOptions): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-interop-'))
  const processes = createProcessSet(folder)
  const devnetFolder = newDevnetFolder()
  if (preset.crossing !== undefined) await prepareCrossing(join(devnetFolder, 'network'), preset.crossing)
  const devnet = await startDevnet(devnetFolder, options.portOffset, preset.devnet)
  const { l2, validator } = devnet.facts
  const mixed = new Map<MixedName, Promise<MixedNode>>()
  const opened: MixedNode[] = []
  const ports = await freePorts(options.portOffset + FIRST_PORT, PORTS)
  const world: World = {
    devnet,
    programs: options.programs,
    processes,
    network: join(devnet.folder, 'network'),
    sequencer: { name: 'our sequencer', rpcUrl: l2.rpcUrl, rollupUrl: l2.rollupRpcUrl },
    validator: { name: 'our validator', rpcUrl: validator.rpcUrl, rollupUrl: validator.rollupRpcUrl },
    batcherAdminUrl: `http://127.0.0.1:${devnetPorts(options.portOffset).batcher.admin}`,
    proposerAdminUrl: `http://127.0.0.1:${devnetPorts(options.portOffset).proposer.admin}`,
    nextPort() {
      const port = ports.shift()
      if (port === undefined) throw new Error(`all ${PORTS} ports of the run are in use`)
      return port
    },
    node(name) {
      const found = mixed.get(name)
      if (found !== undefined) return found
      const created = createMixedNode(world, name).then((node) => {
        opened.push(node)
        return node
      })
      mixed.set(name, created)
      created.catch(() => mixed.delete(name))
      return created
    },
    nodes: () => opened,
    async stop() {
      await processes.stopAll()
      await devnet.interrupt()
      if (options.keep) console.log(`kept: ${folder} and ${devnet.folder}`)
      else for (const made of [folder, devnet.folder]) rmSync(made, { recursive: true, force: true })
    },
  }
  return world
}

/** After switching batching off, waits for batches in flight. */
export async function setBatching(world: World, on: boolean): Promise<void> {
  await rpcCall(world.batcherAdminUrl, on ? 'admin_startBatcher' : 'admin_stopBatcher')
  if (on) return
  await eventually("the network's batcher having settled what it sent", async () => {
    const status = await rpcCall<{ pendingTransactions: number; placing: boolean }>(world.batcherAdminUrl, 'admin_batcherStatus')
    return status.pendingTransactions === 0 && !status.placing
  })
}

async function freePorts(first: number, count: number): Promise<number[]> {
  const free: number[] = []
  for (let port = first; free.length < count; port++) if (await isFree(port)) free.push(port)
  return free
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
