import type { SnapPeer } from '../../sync/snap/ports.ts'
import { P2pError } from '../p2p-error.ts'
import { SNAP_CODES } from './codes.ts'
import { encodeRequest, type SnapRequest } from './requests.ts'
import type { SnapResponse } from './responses.ts'

export interface OpenRequests {
  readonly methods: Pick<SnapPeer, 'accountRange' | 'storageRanges' | 'byteCodes' | 'trieNodes'>
  /** A response that nobody waits for, such as a late one, is dropped. */
  settle(response: SnapResponse): void
  close(): void
}

interface OpenRequest {
  readonly code: number
  resolve(response: unknown): void
  reject(error: unknown): void
}

type Sent = { [C in SnapRequest['code']]: Omit<Extract<SnapRequest, { code: C }>, 'id'> }[SnapRequest['code']]

export function createOpenRequests(send: (code: number, payload: Uint8Array) => Promise<void>): OpenRequests {
  const open = new Map<bigint, OpenRequest>()
  let nextId = 1n
  let closed = false

  async function ask<T>(request: Sent, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    if (closed) throw peerLeft()
    const id = nextId++
    const answered = new Promise<T>((resolve, reject) => {
      open.set(id, { code: request.code + 1, resolve: resolve as (response: unknown) => void, reject })
    })
    const abort = () => open.get(id)?.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      const sent = send(request.code, encodeRequest({ ...request, id } as SnapRequest))
      sent.catch((error: unknown) => open.get(id)?.reject(error))
      return await answered
    } finally {
      signal.removeEventListener('abort', abort)
      open.delete(id)
    }
  }

  return {
    methods: {
      accountRange: (request, signal) => ask({ code: SNAP_CODES.getAccountRange, request }, signal),
      storageRanges: (request, signal) => ask({ code: SNAP_CODES.getStorageRanges, request }, signal),
      byteCodes: (request, signal) => ask({ code: SNAP_CODES.getByteCodes, request }, signal),
      trieNodes: (request, signal) => ask({ code: SNAP_CODES.getTrieNodes, request }, signal),
    },
    settle({ code, id, response }) {
      const request = open.get(id)
      if (request?.code === code) request.resolve(response)
    },
    close() {
      closed = true
      for (const request of open.values()) request.reject(peerLeft())
    },
  }
}

function peerLeft(): P2pError {
  return new P2pError('p2p/closed', 'the peer has left')
}
