import { createPureCrypto } from '@keelson/primitives'
import { createManualClock, createSeededRandom } from '@keelson/runtime'
import { ByteReader } from './byte-reader.ts'
import { FrameWriter } from './frames.ts'
import { initiate } from './handshake.ts'
import { encodeHello } from './hello.ts'
import { openNodeKey } from './node-key.ts'
import { type LocalNode, openSession, type SessionDependencies } from './open-session.ts'
import type { RlpxSession } from './session.ts'
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from './session-limits.ts'
import { type MemoryStream, streamPair } from './stream-pair.test-support.ts'

export const ETH_68 = { name: 'eth', version: 68, length: 17 }
export const ETH_69 = { name: 'eth', version: 69, length: 18 }
export const SNAP_1 = { name: 'snap', version: 1, length: 8 }

export interface SessionWorld {
  readonly clock: ReturnType<typeof createManualClock>
  readonly dialer: LocalNode
  readonly listener: LocalNode
  readonly streams: readonly [MemoryStream, MemoryStream]
  readonly deps: SessionDependencies
  open(): Promise<readonly [RlpxSession, RlpxSession]>
}

export function createSessionWorld(
  capabilities: Partial<Record<'dialer' | 'listener', LocalNode['capabilities']>> = {},
  limits: Partial<SessionLimits> = {},
  others: Partial<Pick<SessionDependencies, 'allReads'>> & { readonly clock?: SessionWorld['clock'] } = {},
): SessionWorld {
  const clock = others.clock ?? createManualClock(1_000)
  const random = createSeededRandom(7)
  const node = (client: string, byte: number, offered: LocalNode['capabilities']): LocalNode => ({
    key: openNodeKey(new Uint8Array(32).fill(byte)),
    client,
    listenPort: 30_000 + byte,
    capabilities: offered,
  })
  const dialer = node('dialer/1', 1, capabilities.dialer ?? [ETH_68])
  const listener = node('listener/1', 2, capabilities.listener ?? [ETH_68])
  const streams = streamPair()
  const deps = { random, crypto: createPureCrypto(), limits: { ...DEFAULT_SESSION_LIMITS, ...limits }, ...others, clock }
  return {
    clock,
    dialer,
    listener,
    streams,
    deps,
    open: () => Promise.all([openSession(streams[0], listener.key.publicKey, dialer, deps), openSession(streams[1], null, listener, deps)]),
  }
}

export function collect(session: RlpxSession, capability: string): (readonly [number, Uint8Array])[] {
  const messages: (readonly [number, Uint8Array])[] = []
  session.onMessage(capability, (code, payload) => void messages.push([code, payload]))
  return messages
}

/** A peer that completes the handshake and then sends whatever the test wants. */
export async function openHostile(hello: Uint8Array | null = null) {
  const world = createSessionWorld()
  const [stream] = world.streams
  const opened = openSession(world.streams[1], null, world.listener, world.deps)
  opened.catch(() => undefined)
  const { key } = world.dialer
  const reader = new ByteReader(stream)
  const write = (packet: Uint8Array) => stream.write(packet)
  const handshake = await initiate({ ...world.deps, key, reader, write }, world.listener.key.publicKey)
  const writer = new FrameWriter(handshake)
  const valid = encodeHello({ client: 'x', listenPort: 0, capabilities: [ETH_68], id: key.publicKey })
  await stream.write(writer.frame(0, hello ?? valid))
  return { world, opened, writer, send: write }
}
