/**
 * Limits packets before decoding: per address and in total, on networks, and on banned senders. The library's own transport ends
 * the process when its port is taken, and remembers every address that exceeded its rate.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import type { ITransportService } from '@chainsafe/discv5'
import { decodePacket, encodePacket, MAX_PACKET_SIZE } from '@chainsafe/discv5/packet'
import { getSocketAddressOnENR } from '@chainsafe/discv5/util'
import type { Clock } from '@keelson/primitives'
import { multiaddr } from '@multiformats/multiaddr'
import { subscriberAt } from '../peers/address-scope.ts'
import { describeHolder, findUdpHolder } from '../process/who-holds.ts'
import { createTokenBucket, type TokenBucket } from '../token-bucket.ts'

export type PacketVerdict = 'taken' | 'refused-sender' | 'rate-limited' | 'malformed'

export interface UdpTransportOptions {
  readonly nodeId: string
  readonly socket: Socket
  readonly isRefused: (ip: string) => boolean
  /** Records may name any address: packets go only to reachable ones and to earlier senders. */
  readonly isReachable: (ip: string) => boolean
  readonly clock: Clock
  readonly onPacket?: (verdict: PacketVerdict) => void
}

/** Rate per IPv4 address or IPv6 /64; a subscriber usually has one of either. */
const FROM_ONE = { perSec: 20, burst: 100 }
const FROM_ALL = { perSec: 500, burst: 2_000 }
const MAX_REMEMBERED_SENDERS = 2_000

/** Rejects with an error that names the holder of a taken port. */
export async function openUdpSocket(host: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 64 * MAX_PACKET_SIZE })
  socket.bind(port, host)
  await once(socket, 'listening').catch(async (cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause
    throw new Error(`${describeHolder(await findUdpHolder(port))} has the port`, { cause })
  })
  socket.on('error', () => undefined)
  return socket
}

export function createUdpTransport({ nodeId, socket, isRefused, isReachable, clock, onPacket }: UdpTransportOptions): ITransportService {
  const { address, port, family } = socket.address()
  const isIp4 = family === 'IPv4'
  const ipMode = isIp4 ? { ip4: true as const, ip6: false as const } : { ip4: false as const, ip6: true as const }
  const all = createTokenBucket(FROM_ALL, clock)
  const senders = new Map<string, TokenBucket>()
  const emitter = new EventEmitter()

  function isTooFast(ip: string): boolean {
    const sender = senderAt(ip)
    const bucket = senders.get(sender) ?? createTokenBucket(FROM_ONE, clock)
    senders.delete(sender)
    senders.set(sender, bucket)
    if (senders.size > MAX_REMEMBERED_SENDERS) senders.delete(senders.keys().next().value as string)
    return !bucket.tryTake() || !all.tryTake()
  }

  function receive(data: Uint8Array, from: RemoteInfo): PacketVerdict {
    if (isRefused(from.address)) return 'refused-sender'
    if (isTooFast(from.address)) return 'rate-limited'
    try {
      const packet = decodePacket(nodeId, data)
      emitter.emit('packet', multiaddr(`/${isIp4 ? 'ip4' : 'ip6'}/${from.address}/udp/${from.port}`), packet)
      return 'taken'
    } catch {
      return 'malformed'
    }
  }

  const listener = (data: Uint8Array, from: RemoteInfo) => onPacket?.(receive(data, from))
  return Object.assign(emitter, {
    bindAddrs: [multiaddr(`/${isIp4 ? 'ip4' : 'ip6'}/${address}/udp/${port}`)],
    ipMode,
    async start() {
      socket.on('message', listener)
    },
    async stop() {
      socket.off('message', listener)
      await new Promise<void>((resolve) => socket.close(() => resolve()))
    },
    async send(to: Parameters<ITransportService['send']>[0], toId: string, packet: Parameters<ITransportService['send']>[2]) {
      const target = to.toOptions()
      if ((target.family === 4) !== isIp4) return
      if (!isReachable(target.host) && !senders.has(senderAt(target.host))) return
      socket.send(encodePacket(toId, packet), target.port, target.host, () => undefined)
    },
    getContactableAddr: (enr: Parameters<ITransportService['getContactableAddr']>[0]) => getSocketAddressOnENR(enr, ipMode),
  }) as unknown as ITransportService
}

function senderAt(ip: string): string {
  return subscriberAt(ip) ?? ip
}
