import '../../packages/consensus/src/p2p/host/promise-polyfill.ts'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import { identify } from '@libp2p/identify'
import type { Connection, PrivateKey, Stream, StreamMuxer } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'

export const GOSSIP_PROTOCOLS = ['/meshsub/1.1.0', '/meshsub/1.2.0']

export interface RawPeer {
  readonly peerId: string
  readonly connection: Connection
  send(frames: readonly Uint8Array[]): Promise<void>
  open(protocol: string | string[]): Promise<Stream>
  openRaw(): Promise<Stream>
  stop(): Promise<void>
}

export async function dialAsRawPeer(address: string, seed?: number): Promise<RawPeer> {
  const node = await createLibp2p({
    ...(seed === undefined ? {} : { privateKey: privateKeyFromRaw(new Uint8Array(32).fill(seed)) as unknown as PrivateKey }),
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionManager: { reconnectRetries: 0 },
    services: { identify: identify() },
  })
  await node.handle(GOSSIP_PROTOCOLS, ({ stream }) => {
    const read = async () => {
      for await (const _ of stream.source);
    }
    read().catch(() => undefined)
  })
  const connection = await node.dial(multiaddr(address))
  let pushes: AsyncGenerator<Uint8Array> | null = null
  const queue: Uint8Array[] = []
  let wake: () => void = () => undefined
  async function* source(): AsyncGenerator<Uint8Array> {
    while (true) {
      const next = queue.shift()
      if (next !== undefined) yield next
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    peerId: node.peerId.toString(),
    connection,
    open: (protocol) => connection.newStream(protocol),
    openRaw: async () => (connection as unknown as { readonly muxer: StreamMuxer }).muxer.newStream(),
    async send(frames) {
      if (pushes === null) {
        const stream = await connection.newStream(GOSSIP_PROTOCOLS)
        pushes = source()
        // Ends when the other side resets the stream.
        stream.sink(pushes).catch(() => undefined)
      }
      for (const frame of frames) queue.push(varint(frame.length), frame)
      wake()
    },
    stop: async () => node.stop(),
  }
}

export function protobuf(...fields: readonly (readonly [number, Uint8Array])[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(fields.flatMap(([field, bytes]) => [varint(field * 8 + 2), varint(bytes.length), bytes])))
}

export function messageFrame(topic: string, messages: readonly Uint8Array[]): Uint8Array {
  const name = new TextEncoder().encode(topic)
  return protobuf(...messages.map((data) => [2, protobuf([2, data], [4, name])] as const))
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Uint8Array.of(...bytes, rest)
}
