/** What a role gets from its machine. */
import { createHttpRpcClient, type RpcClient } from '@keelson/client'
import type { Crypto, Kzg, Logger } from '@keelson/primitives'
import {
  createAnswerer,
  createMetrics,
  DEFAULT_RPC_LIMITS,
  type HttpClient,
  type Metrics,
  type RpcMethods,
  type RunningServices,
  type Service,
  startServices,
} from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import type { Listener } from '../network/listener.ts'
import type { SimulatedHttp } from '../network/simulated-http.ts'
import type { SimulatedNetwork } from '../network/simulated-network.ts'
import type { SimulatedPorts } from '../network/simulated-ports.ts'

export interface SimulatedWorld {
  readonly simulation: Simulation
  readonly network: SimulatedNetwork
  readonly http: SimulatedHttp
  readonly ports: SimulatedPorts
  /** Whether consensus clients, execution clients and submitters call each other by JSON-RPC; users always do. */
  readonly realRpc: boolean
  readonly crypto: Crypto
  readonly kzg: Kzg
  logger(process: SimProcess): Logger
}

export interface Host {
  readonly machine: string
  readonly process: SimProcess
  readonly world: SimulatedWorld
  readonly log: Logger
  readonly metrics: Metrics
  readonly http: HttpClient
  /** A client of another machine's port. */
  rpc(url: string, timeoutMs?: number): RpcClient
  serve(port: number, methods: RpcMethods): Listener
  /** Offers an object to processes that call it without JSON-RPC. */
  offer(port: number, api: unknown): Listener
}

export const PORTS = { l1: 8545, execution: 8545, engine: 8551, rollup: 9545 } as const

const MAX_BODY_BYTES = 128 * 1024 * 1024

export function createHost(world: SimulatedWorld, machine: string, role: string): Host {
  const process = world.simulation.process(`${machine}/${role}`)
  const log = world.logger(process)
  const metrics = createMetrics('keelson')
  const http = world.http.client(machine, process)
  const { clock, random } = process
  return {
    machine,
    process,
    world,
    log,
    metrics,
    http,
    rpc: (url, timeoutMs) =>
      createHttpRpcClient({ url, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, { clock, random, log, metrics, http }),
    serve: (port, methods) =>
      world.http.serve(
        `${machine}:${port}`,
        process,
        createAnswerer({ methods, limits: { ...DEFAULT_RPC_LIMITS, maxBodyBytes: MAX_BODY_BYTES }, log, metrics }),
      ),
    offer: (port, api) => world.ports.offer(`${machine}:${port}`, process, api),
  }
}

/** Starts the parts of a role in this order, as its command does. They stop in the opposite one. */
export function startParts({ log, process: { clock } }: Host, parts: readonly Service[]): Promise<RunningServices> {
  return startServices(parts, { log, clock })
}

/** The server of a role as a part that can stop; `open` starts it. */
export function server(name: string, open: () => readonly Listener[]): Service {
  let listeners: readonly Listener[] = []
  return {
    name,
    async start() {
      listeners = open()
    },
    async stop() {
      await Promise.all(listeners.map((listener) => listener.close()))
    },
  }
}

export function urlOf(machine: string, port: number): string {
  return `http://${machine}:${port}`
}
