import type { MessagePort } from 'node:worker_threads'
import type { ReadMethod } from '@keelson/execution'
import type { LogFields } from '@keelson/primitives'
import type { LabelValues, ReadinessReport, RpcPayer, RpcServerOptions } from '@keelson/runtime'
import type { AccessValues } from '../role/rpc-access-options.ts'
import type { RpcWorkerData } from '../rpc-workers/protocol.ts'

export type PublicPort = 'http' | 'ws'

export interface PortData {
  readonly port: PublicPort
  readonly server: RpcServerOptions
  /** All methods of the port, of either thread. */
  readonly methods: readonly string[]
}

export interface RpcThreadData {
  readonly workers: RpcWorkerData
  readonly threads: number
  readonly revisions: SharedArrayBuffer
  readonly version: string
  readonly clockOffsetMs: number
  readonly access: AccessValues
}

export interface ForwardedRequest {
  readonly request: number
  readonly port: PublicPort
  readonly body: string
  /** Null over HTTP. */
  readonly connection: number | null
  readonly caller: Pick<RpcPayer, 'tier' | 'client' | 'known' | 'burst'> | null
}

/** Served by the thread that owns the chain. */
export interface CoreMethods {
  answer(request: ForwardedRequest, signal: AbortSignal): Promise<string | null>
  /** The connection is closed. */
  closed(connection: number): void
  report(argument: null): Promise<ReadinessReport>
  compilerFor(worker: number): void
  log(line: LogLine): void
  metrics(use: RpcThreadUse): void
}

/** Served by the thread that owns the sockets. */
export interface SocketMethods {
  /** Throws RuntimeError. */
  open(argument: null): Promise<void>
  /** Returns a URL for each port. Throws RuntimeError when one is in use. */
  listen(ports: readonly PortData[]): Promise<readonly string[]>
  stop(argument: null): Promise<void>
  /** Null: the engine port, without limits. */
  read(
    read: { readonly request: number | null; readonly method: ReadMethod; readonly params: readonly unknown[] },
    signal: AbortSignal,
  ): Promise<string>
  /** Past the lanes. */
  run(
    read: { readonly method: ReadMethod; readonly params: readonly unknown[]; readonly limitMs: number },
    signal: AbortSignal,
  ): Promise<string>
  charge(charge: { readonly request: number; readonly tokens: number }): void
  reserve(reserve: { readonly request: number; readonly calls: number }): Promise<number>
  push(push: { readonly connection: number; readonly text: string }): void
  disconnect(disconnect: { readonly connection: number; readonly reason: string }): void
  compiler(compiler: { readonly worker: number; readonly port: MessagePort }): void
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Names of the child loggers. */
  readonly path: readonly string[]
  readonly message: string
  readonly fields: LogFields
}

export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface MetricChange {
  readonly name: string
  readonly value: number
  readonly labels: LabelValues | undefined
}

export interface RpcThreadUse {
  readonly defined: readonly MetricDefinition[]
  readonly changes: readonly MetricChange[]
  readonly waitingReads: number
}
