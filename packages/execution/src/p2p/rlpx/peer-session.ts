import { type Clock, CodecError, messageOf, NodeError } from '@keelson/primitives'
import { createPoller, createTokenBucket, type TokenBucket } from '@keelson/runtime'
import { snappyCompress } from '@keelson/runtime/snappy'
import { P2pError } from '../p2p-error.ts'
import type { ByteStream } from './byte-stream.ts'
import { decodeDisconnect, encodeDisconnect } from './disconnect-message.ts'
import type { DisconnectReason } from './disconnect-reason.ts'
import type { Frame, FrameReader, FrameWriter } from './frames.ts'
import type { MessageHandler, RemoteNode, RlpxSession, SessionEnd } from './session.ts'
import type { SessionLimits } from './session-limits.ts'
import { FIRST_CODE, type SharedCapability } from './shared-capabilities.ts'
import { decompressedLength, decompressPayload, MAX_MESSAGE_BYTES } from './snappy-payload.ts'

export const P2P_CODES = { hello: 0x00, disconnect: 0x01, ping: 0x02, pong: 0x03 } as const

const EMPTY_LIST = Uint8Array.of(0xc0)
const WATCH_INTERVAL_MS = 1_000
const MAX_DISCONNECT_BYTES = 64

export interface SessionParts {
  readonly remote: RemoteNode
  readonly capabilities: readonly SharedCapability[]
  readonly stream: ByteStream
  readonly frames: FrameReader
  readonly writer: FrameWriter
  readonly clock: Clock
  readonly limits: SessionLimits
  /** Bytes that all sessions may read; null for no limit. */
  readonly allReads: TokenBucket | null
}

export class PeerSession implements RlpxSession {
  readonly remote: RemoteNode
  readonly capabilities: readonly SharedCapability[]
  readonly closed: Promise<SessionEnd>
  readonly #parts: SessionParts
  readonly #handlers = new Map<string, MessageHandler>()
  readonly #budget: TokenBucket
  readonly #pings: TokenBucket
  readonly #watch: ReturnType<typeof createPoller>
  #resolveClosed: (end: SessionEnd) => void = () => undefined
  #end: SessionEnd | null = null
  #waitingBytes = 0
  /** Start of the oldest write that was not taken yet. */
  #writeSinceMs: number | null = null
  #receivedMs: number
  #pinged = false

  constructor(parts: SessionParts) {
    const { clock, limits } = parts
    this.#parts = parts
    this.remote = parts.remote
    this.capabilities = parts.capabilities
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    this.#budget = createTokenBucket(limits.readBytes, clock)
    this.#pings = createTokenBucket(limits.pings, clock)
    this.#receivedMs = clock.monotonicMs()
    this.#watch = createPoller(async () => this.#look(), { clock, intervalMs: WATCH_INTERVAL_MS, waitFirst: true })
    this.#watch.start()
  }

  async send(capability: string, code: number, payload: Uint8Array): Promise<void> {
    const shared = this.capabilities.find(({ name }) => name === capability)
    if (shared === undefined || code >= shared.length)
      throw new RangeError(`message ${code} of ${capability} does not belong to this session`)
    await this.#write(shared.firstCode + code, payload)
  }

  onMessage(capability: string, handler: MessageHandler): void {
    this.#handlers.set(capability, handler)
    if (this.capabilities.every(({ name }) => this.#handlers.has(name))) void this.#read()
  }

  async disconnect(reason: DisconnectReason, detail = ''): Promise<void> {
    if (this.#end !== null) return
    const { stream, writer, clock, limits } = this.#parts
    const frame = writer.frame(P2P_CODES.disconnect, encodeDisconnect(reason, true))
    this.#finish({ reason, by: 'local', detail })
    stream.write(frame).catch(() => undefined)
    stream.end()
    await clock.sleep(limits.farewellMs)
    stream.destroy()
  }

  async #read(): Promise<void> {
    const { frames, clock } = this.#parts
    try {
      while (this.#end === null) {
        const frame = await frames.next(MAX_MESSAGE_BYTES)
        this.#receivedMs = clock.monotonicMs()
        this.#pinged = false
        await this.#pay(frame)
        if (this.#end === null) this.#handle(frame)
      }
    } catch (error) {
      if (this.#end !== null) return
      if (error instanceof P2pError && error.code === 'p2p/closed') this.#drop('tcpError', 'the connection was closed')
      else if (error instanceof NodeError) await this.disconnect(reasonFor(error), error.message)
      else if (isStreamError(error)) this.#drop('tcpError', messageOf(error))
      else await this.disconnect('subprotocol', messageOf(error))
    }
  }

  /** Resolves when the message may be decompressed. */
  async #pay({ code, payload }: Frame): Promise<void> {
    const { limits, allReads } = this.#parts
    const bytes = code < FIRST_CODE ? payload.length : Math.max(payload.length, decompressedLength(payload))
    const cost = bytes + limits.messageCostBytes
    if (!this.#budget.tryTake(cost)) await this.#budget.take(cost, this.#watch.signal)
    await allReads?.take(cost, this.#watch.signal)
  }

  #handle({ code, payload }: Frame): void {
    if (code === P2P_CODES.ping) this.#answerPing()
    else if (code === P2P_CODES.disconnect) this.#leave(disconnectReason(payload))
    else if (code !== P2P_CODES.pong) this.#deliver(code, payload)
  }

  #deliver(code: number, payload: Uint8Array): void {
    const shared = this.capabilities.find(({ firstCode, length }) => code >= firstCode && code < firstCode + length)
    if (shared === undefined) throw new P2pError('p2p/message', `message code ${code} belongs to no shared capability`)
    this.#handlers.get(shared.name)?.(code - shared.firstCode, decompressPayload(payload))
  }

  #answerPing(): void {
    if (!this.#pings.tryTake()) throw new P2pError('p2p/message', 'too many pings')
    this.#write(P2P_CODES.pong, EMPTY_LIST).catch(() => undefined)
  }

  async #write(code: number, payload: Uint8Array): Promise<void> {
    if (this.#end !== null) throw new P2pError('p2p/closed', `the session has ended: ${this.#end.reason}`)
    const { stream, writer, clock, limits } = this.#parts
    const compressed = snappyCompress(payload)
    if (this.#waitingBytes + compressed.length > limits.maxWaitingBytes) {
      this.#drop('timeout', `${this.#waitingBytes} bytes wait to be written`)
      throw new P2pError('p2p/closed', 'the peer does not read')
    }
    const frame = writer.frame(code, compressed)
    this.#waitingBytes += frame.length
    this.#writeSinceMs ??= clock.monotonicMs()
    try {
      await stream.write(frame)
    } catch (cause) {
      this.#drop('tcpError', messageOf(cause))
      throw new P2pError('p2p/closed', 'the connection was closed', {}, { cause })
    } finally {
      this.#waitingBytes -= frame.length
      this.#writeSinceMs = this.#waitingBytes === 0 ? null : clock.monotonicMs()
    }
  }

  #look(): void {
    const { clock, limits } = this.#parts
    const nowMs = clock.monotonicMs()
    const idleMs = nowMs - this.#receivedMs
    if (this.#writeSinceMs !== null && nowMs - this.#writeSinceMs > limits.writeStallMs)
      this.#drop('timeout', `nothing was taken for ${limits.writeStallMs} ms`)
    else if (idleMs > limits.readIdleMs) {
      this.disconnect('timeout', `nothing was received for ${limits.readIdleMs} ms`).catch(() => undefined)
    } else if (idleMs > limits.pingAfterMs && !this.#pinged) {
      this.#pinged = true
      this.#write(P2P_CODES.ping, EMPTY_LIST).catch(() => undefined)
    }
  }

  #drop(reason: DisconnectReason, detail: string): void {
    this.#finish({ reason, by: 'local', detail })
    this.#parts.stream.destroy()
  }

  #leave(reason: DisconnectReason): void {
    this.#finish({ reason, by: 'remote', detail: '' })
    this.#parts.stream.destroy()
  }

  #finish(end: SessionEnd): void {
    if (this.#end !== null) return
    this.#end = end
    void this.#watch.stop()
    this.#resolveClosed(end)
  }
}

/** Not every client compresses it. */
function disconnectReason(payload: Uint8Array): DisconnectReason {
  try {
    return decodeDisconnect(decompressPayload(payload.subarray(0, MAX_DISCONNECT_BYTES)))
  } catch (error) {
    if (error instanceof P2pError) return decodeDisconnect(payload)
    throw error
  }
}

function reasonFor(error: NodeError): DisconnectReason {
  return error instanceof P2pError || error instanceof CodecError ? 'protocolBreach' : 'subprotocol'
}

function isStreamError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
