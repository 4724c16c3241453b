import type { RlpInput } from '@keelson/primitives'
import { CodecError } from '@keelson/primitives'
import { P2pError } from '../p2p-error.ts'
import { decodeIdentified, encodeIdentified, type Identified } from './identified.ts'

/** Far above what sync has in flight with one peer. */
const MAX_PENDING = 64
const MAX_UNREQUESTED = 64
/** Responses may arrive after their request was cancelled. */
const MAX_CANCELLED = 1_024

interface Pending {
  readonly responseCode: number
  resolve(fields: Identified['fields']): void
  reject(error: unknown): void
}

/** Matches responses of one peer with requests by their ids. */
export class RequestTracker {
  readonly #send: (code: number, payload: Uint8Array) => Promise<void>
  readonly #pending = new Map<bigint, Pending>()
  readonly #cancelled = new Set<bigint>()
  #nextId = 1n
  #unrequested = 0
  #closed: P2pError | null = null

  constructor(send: (code: number, payload: Uint8Array) => Promise<void>) {
    this.#send = send
  }

  /** Returns the fields of the response. Rejects with P2pError when the session ends, and with the signal's reason. */
  async request(code: number, responseCode: number, fields: readonly RlpInput[], signal: AbortSignal): Promise<Identified['fields']> {
    signal.throwIfAborted()
    if (this.#closed !== null) throw this.#closed
    if (this.#pending.size >= MAX_PENDING) throw new P2pError('p2p/message', `${MAX_PENDING} requests wait for this peer`)
    const id = this.#nextId++
    const response = new Promise<Identified['fields']>((resolve, reject) => this.#pending.set(id, { responseCode, resolve, reject }))
    const abort = () => {
      this.#expectLate(id)
      this.#pending.get(id)?.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      const [received] = await Promise.all([response, this.#send(code, encodeIdentified(id, fields))])
      return received
    } finally {
      signal.removeEventListener('abort', abort)
      this.#pending.delete(id)
    }
  }

  /** Throws CodecError or P2pError for a message that breaks the protocol. */
  receive(code: number, payload: Uint8Array): void {
    const { id, fields } = decodeIdentified(payload)
    const pending = this.#pending.get(id)
    if (pending === undefined) {
      if (this.#cancelled.delete(id)) return
      if (++this.#unrequested > MAX_UNREQUESTED) throw new P2pError('p2p/message', 'too many responses that nobody asked for')
      return
    }
    if (pending.responseCode !== code)
      throw new CodecError('codec/rlp', `response ${code} to a request that expects ${pending.responseCode}`)
    this.#pending.delete(id)
    pending.resolve(fields)
  }

  #expectLate(id: bigint): void {
    this.#cancelled.add(id)
    if (this.#cancelled.size <= MAX_CANCELLED) return
    const [oldest] = this.#cancelled
    this.#cancelled.delete(oldest as bigint)
  }

  close(error: P2pError): void {
    this.#closed = error
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}
