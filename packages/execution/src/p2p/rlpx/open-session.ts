import { type Clock, type Crypto, equalBytes, type Random } from '@keelson/primitives'
import { DeadlineError, type TokenBucket, withDeadline } from '@keelson/runtime'
import { P2pError } from '../p2p-error.ts'
import { ByteReader } from './byte-reader.ts'
import type { ByteStream } from './byte-stream.ts'
import { decodeDisconnect, encodeDisconnect } from './disconnect-message.ts'
import type { DisconnectReason } from './disconnect-reason.ts'
import { FrameReader, FrameWriter } from './frames.ts'
import { initiate, respond } from './handshake.ts'
import { decodeHello, encodeHello, type Hello, MAX_HELLO_BYTES, P2P_VERSION } from './hello.ts'
import type { NodeKey } from './node-key.ts'
import { P2P_CODES, PeerSession } from './peer-session.ts'
import type { RlpxSession } from './session.ts'
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from './session-limits.ts'
import { type OfferedCapability, shareCapabilities } from './shared-capabilities.ts'

export interface LocalNode {
  readonly key: NodeKey
  readonly client: string
  /** 0 when the node does not listen. */
  readonly listenPort: number
  readonly capabilities: readonly OfferedCapability[]
}

export interface SessionDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Pick<Crypto, 'sign' | 'recoverKey'>
  readonly limits?: SessionLimits
  /** Bytes that all sessions together may read (`ALL_READ_BYTES`). */
  readonly allReads?: TokenBucket
}

/**
 * Handshake and hellos; `remoteId` is null for a connection from outside. Takes over the stream, which is closed on failure. Throws
 * P2pError.
 */
export async function openSession(
  stream: ByteStream,
  remoteId: Uint8Array | null,
  local: LocalNode,
  deps: SessionDependencies,
  signal?: AbortSignal,
): Promise<RlpxSession> {
  const { clock, limits = DEFAULT_SESSION_LIMITS } = deps
  const what = 'the RLPx handshake'
  try {
    return await withDeadline(exchange(stream, remoteId, local, deps, limits), {
      clock,
      ms: limits.openMs,
      what,
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    stream.destroy()
    if (error instanceof DeadlineError) throw new P2pError('p2p/timeout', error.message, {}, { cause: error })
    throw error
  }
}

async function exchange(
  stream: ByteStream,
  remoteId: Uint8Array | null,
  local: LocalNode,
  deps: SessionDependencies,
  limits: SessionLimits,
): Promise<PeerSession> {
  const reader = new ByteReader(stream)
  const parts = { key: local.key, crypto: deps.crypto, random: deps.random, reader, write: (packet: Uint8Array) => stream.write(packet) }
  const handshake = remoteId === null ? await respond(parts) : await initiate(parts, remoteId)
  const writer = new FrameWriter(handshake)
  const frames = new FrameReader(reader, handshake)
  const { client, listenPort, capabilities } = local
  await stream.write(writer.frame(P2P_CODES.hello, encodeHello({ client, listenPort, capabilities, id: local.key.publicKey })))
  const hello = await readHello(frames)
  const shared = shareCapabilities(capabilities, hello.capabilities)
  const refusal = judgeHello(hello, handshake.remoteId, local.key.publicKey, shared.length)
  if (refusal !== null) {
    // Before version 5 nothing is compressed.
    const payload = encodeDisconnect(refusal, hello.version >= P2P_VERSION)
    await stream.write(writer.frame(P2P_CODES.disconnect, payload))
    stream.end()
    await deps.clock.sleep(limits.farewellMs)
    throw new P2pError('p2p/disconnected', `the peer was refused: ${refusal}`, { reason: refusal, by: 'local' })
  }
  return new PeerSession({
    remote: {
      id: handshake.remoteId,
      client: hello.client,
      host: stream.host,
      port: stream.port,
      inbound: remoteId === null,
      listenPort: hello.listenPort,
    },
    capabilities: shared,
    stream,
    frames,
    writer,
    clock: deps.clock,
    limits,
    allReads: deps.allReads ?? null,
  })
}

async function readHello(frames: FrameReader): Promise<Hello> {
  const { code, payload } = await frames.next(MAX_HELLO_BYTES)
  if (code === P2P_CODES.disconnect) {
    const reason = decodeDisconnect(payload)
    throw new P2pError('p2p/disconnected', `the peer disconnected before its hello: ${reason}`, { reason, by: 'remote' })
  }
  if (code !== P2P_CODES.hello) throw new P2pError('p2p/hello', `message ${code} before hello`)
  return decodeHello(payload)
}

function judgeHello(hello: Hello, remoteId: Uint8Array, ownId: Uint8Array, sharedCount: number): DisconnectReason | null {
  if (!equalBytes(hello.id, remoteId)) return 'unexpectedIdentity'
  if (equalBytes(hello.id, ownId)) return 'self'
  if (hello.version < P2P_VERSION) return 'incompatibleVersion'
  return sharedCount === 0 ? 'uselessPeer' : null
}
