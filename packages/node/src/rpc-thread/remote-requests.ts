/** Forwards requests to the thread that owns the chain. */
import { needsPool } from '@keelson/execution'
import { type RemoteMethods, RPC_ERROR_NUMBERS, type RpcCaller, type RpcContext, RpcError } from '@keelson/runtime'
import type { CoreMethods, PublicPort, SocketMethods } from './protocol.ts'
import type { ThreadPeer } from './thread-peer.ts'

export type CorePeer = Pick<ThreadPeer<SocketMethods, CoreMethods>, 'call' | 'tell'>

interface Connection {
  readonly id: number
  readonly context: RpcContext
}

export class RemoteRequests {
  readonly #peer: CorePeer
  readonly #requests = new Map<number, RpcContext>()
  readonly #byObject = new WeakMap<object, Connection>()
  readonly #connections = new Map<number, Connection>()
  #nextId = 0

  constructor(peer: CorePeer) {
    this.#peer = peer
  }

  methodsOf(port: PublicPort, methods: readonly string[], isOwn: (method: string) => boolean): RemoteMethods {
    const all = new Set(methods)
    return {
      has: (method) => all.has(method),
      takes: (method, params) => all.has(method) && (!isOwn(method) || needsPool(method, params)),
      answer: (body, context) => this.#forward(port, body, context),
    }
  }

  /** Null when the request is answered or unknown. */
  contextOf(request: number): RpcContext | null {
    return this.#requests.get(request) ?? null
  }

  charge(request: number, tokens: number): void {
    this.#requests.get(request)?.caller?.charge(tokens)
  }

  async reserve(request: number, calls: number): Promise<number> {
    const context = this.#requests.get(request)
    if (context === undefined) throw new RpcError(RPC_ERROR_NUMBERS.server, 'the caller has gone')
    return context.caller?.reserve(calls) ?? 0
  }

  push(connection: number, text: string): void {
    this.#connections.get(connection)?.context.push?.(text)
  }

  disconnect(connection: number, reason: string): void {
    this.#connections.get(connection)?.context.disconnect?.(reason)
  }

  async #forward(port: PublicPort, body: string, context: RpcContext): Promise<string | null> {
    const request = this.#nextId++
    const { caller } = context
    const connection = context.connection === undefined ? null : this.#connectionOf(context.connection, context)
    this.#requests.set(request, context)
    try {
      const crossing = caller === undefined ? null : callerOf(caller)
      return await this.#peer.call('answer', { request, port, body, connection, caller: crossing }, context.signal)
    } finally {
      this.#requests.delete(request)
    }
  }

  #connectionOf(object: object, context: RpcContext): number {
    const known = this.#byObject.get(object)
    if (known !== undefined) return known.id
    const connection = { id: this.#nextId++, context }
    this.#byObject.set(object, connection)
    this.#connections.set(connection.id, connection)
    context.onClose?.(() => {
      this.#connections.delete(connection.id)
      this.#peer.tell('closed', connection.id)
    })
    return connection.id
  }
}

function callerOf({ tier, client, known, burst }: Omit<RpcCaller, 'take' | 'charge' | 'reserve'>) {
  return { tier, client, known, burst }
}
