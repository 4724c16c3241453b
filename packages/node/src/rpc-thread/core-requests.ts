/** Answers the requests that the thread of the sockets forwards. */
import { type Answerer, createOutbox, nextTurn, parseRequest, type RpcContext, type RpcPayer } from '@keelson/runtime'
import type { CoreMethods, ForwardedRequest, PublicPort, SocketMethods } from './protocol.ts'
import type { ThreadPeer } from './thread-peer.ts'

type Peer = Pick<ThreadPeer<CoreMethods, SocketMethods>, 'call' | 'tell'>

/** Its tokens are in the other thread. */
export class RemoteCaller implements RpcPayer {
  readonly tier: string
  readonly client: string
  readonly known: boolean
  readonly burst: number
  readonly request: number
  readonly #peer: Peer

  constructor(caller: NonNullable<ForwardedRequest['caller']>, request: number, peer: Peer) {
    this.tier = caller.tier
    this.client = caller.client
    this.known = caller.known
    this.burst = caller.burst
    this.request = request
    this.#peer = peer
  }

  charge(tokens: number): void {
    this.#peer.tell('charge', { request: this.request, tokens })
  }

  reserve(calls: number): Promise<number> {
    return this.#peer.call('reserve', { request: this.request, calls })
  }
}

class RemoteConnection {
  readonly closers = new Set<() => void>()
  isOpen = true
}

export class CoreRequests {
  readonly #answerers: Readonly<Record<PublicPort, Answerer>>
  readonly #peer: Peer
  readonly #maxNotificationBytes: number
  readonly #connections = new Map<number, RemoteConnection>()

  constructor(answerers: Readonly<Record<PublicPort, Answerer>>, peer: Peer, maxNotificationBytes: number) {
    this.#answerers = answerers
    this.#peer = peer
    this.#maxNotificationBytes = maxNotificationBytes
  }

  async answer({ request, port, body, connection, caller }: ForwardedRequest, signal: AbortSignal): Promise<string | null> {
    const own = caller === null ? {} : { caller: new RemoteCaller(caller, request, this.#peer) }
    const answer = this.#answerers[port]
    if (connection === null) return answer(parseRequest(body), { signal, transport: 'http', ...own })
    const { context, release } = this.#socketContext(connection, signal)
    try {
      return await answer(parseRequest(body), { ...context, ...own })
    } finally {
      // The response is sent first.
      void nextTurn().then(release)
    }
  }

  closed(id: number): void {
    const connection = this.#connections.get(id)
    this.#connections.delete(id)
    if (connection === undefined) return
    connection.isOpen = false
    for (const close of connection.closers) close()
  }

  #socketContext(id: number, signal: AbortSignal): { readonly context: RpcContext; release(): void } {
    const connection = this.#connections.get(id) ?? new RemoteConnection()
    this.#connections.set(id, connection)
    const push = (text: string) => {
      if (connection.isOpen) this.#peer.tell('push', { connection: id, text })
      return connection.isOpen
    }
    const outbox = createOutbox(push, this.#maxNotificationBytes)
    const context: RpcContext = {
      signal,
      transport: 'ws',
      connection,
      push,
      notify: outbox.notify,
      disconnect: (reason) => this.#peer.tell('disconnect', { connection: id, reason }),
      onClose(callback) {
        if (connection.isOpen) connection.closers.add(callback)
        else callback()
      },
    }
    return { context, release: outbox.release }
  }
}
