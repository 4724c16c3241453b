/**
 * Limits negotiation bytes, work caused by incoming data, and replies buffered for a peer that does not read. libp2p reads as
 * fast as a peer writes, and processes any number of tiny frames without yielding.
 */
import type { Clock } from '@keelson/primitives'
import { nextTurn, type TokenBucket } from '@keelson/runtime'
import { createAddressBuckets } from '@keelson/runtime/peers'
import type { ConnectionEncrypter, MultiaddrConnection, Stream, StreamMuxer, StreamMuxerFactory, Transport } from '@libp2p/interface'
import { ipOf } from './libp2p-gater.ts'
import { type Chunk, limitUntil } from './limited-source.ts'
import { YamuxMeter } from './yamux-meter.ts'

export interface ConnectionGuardOptions {
  readonly clock: Clock
  readonly isTrusted: (peerId: string) => boolean
}

type Factory<C, T> = (components: C) => T

export interface ConnectionGuard {
  transport<C>(make: Factory<C, Transport>): Factory<C, Transport>
  encrypter<C>(make: Factory<C, ConnectionEncrypter>): Factory<C, ConnectionEncrypter>
  muxer<C>(make: Factory<C, StreamMuxerFactory>): Factory<C, StreamMuxerFactory>
}

/** Budget in units of `FRAME_COSTS`: a tenth of the thread's time; the burst fits a block of maximum size. */
const WORK_FOR_AN_ADDRESS = { perSec: 5_000, burst: 16_384 }
const WORK_IN_A_TURN = 256
const DENSE_PIECE_BYTES = 2_048
/** Limit per negotiation (encryption, multiplexing, stream protocol). Clients need less than a hundred. */
const MAX_NEGOTIATION_BYTES = 512
/** Clients send one at a time. */
const MAX_UNANSWERED_PINGS = 1_024
/** libp2p buffers a whole frame for an unknown stream. Implementations split data at 64 KiB. */
const MAX_FRAME_BYTES = 1024 * 1024

export function createConnectionGuard({ clock, isTrusted }: ConnectionGuardOptions): ConnectionGuard {
  const buckets = createAddressBuckets(WORK_FOR_AN_ADDRESS, clock)
  const secured = new WeakSet<object>()
  /** Keyed by the connection's logger, the only part of it that its muxer receives. Null: not throttled. */
  const bucketOf = new WeakMap<object, TokenBucket | null>()

  async function secure(connection: MultiaddrConnection, upgrade: () => ReturnType<ConnectionEncrypter['secureInbound']>) {
    secured.add(connection)
    const { timeline, log, remoteAddr } = connection
    const result = await upgrade()
    bucketOf.set(log, isTrusted(result.remotePeer.toString()) ? null : buckets.of(ipOf(remoteAddr)))
    limitSource(connection, () => timeline.upgraded !== undefined)
    return result
  }

  return {
    transport: (make) => (components) => {
      const transport = make(components)
      const createListener = transport.createListener.bind(transport)
      transport.createListener = (options) => {
        const { upgrader } = options
        const limited: typeof upgrader = Object.create(upgrader)
        limited.upgradeInbound = (connection, upgradeOptions) => {
          limitSource(connection, () => secured.has(connection))
          return upgrader.upgradeInbound(connection, upgradeOptions)
        }
        return createListener({ ...options, upgrader: limited })
      }
      return transport
    },
    encrypter: (make) => (components) => {
      const encrypter = make(components)
      const inbound = encrypter.secureInbound.bind(encrypter) as ConnectionEncrypter['secureInbound']
      const outbound = encrypter.secureOutbound.bind(encrypter) as ConnectionEncrypter['secureOutbound']
      encrypter.secureInbound = ((connection: MultiaddrConnection, options) =>
        secure(connection, () => inbound(connection, options))) as ConnectionEncrypter['secureInbound']
      encrypter.secureOutbound = ((connection: MultiaddrConnection, options) =>
        secure(connection, () => outbound(connection, options))) as ConnectionEncrypter['secureOutbound']
      return encrypter
    },
    muxer: (make) => (components) => {
      const factory = make(components)
      const createStreamMuxer = factory.createStreamMuxer.bind(factory)
      factory.createStreamMuxer = (init) => {
        const muxer = createStreamMuxer({
          ...init,
          onIncomingStream(stream: Stream) {
            limitSource(stream, () => stream.protocol !== undefined && stream.protocol !== '')
            init?.onIncomingStream?.(stream)
          },
        })
        const known = init?.log === undefined ? undefined : bucketOf.get(init.log)
        return meteredMuxer(muxer, known === undefined ? buckets.of(null) : known)
      }
      return factory
    },
  }
}

function limitSource(duplex: { source: AsyncIterable<Chunk> }, isDone: () => boolean): void {
  duplex.source = limitUntil(duplex.source, isDone, MAX_NEGOTIATION_BYTES)
}

function meteredMuxer(muxer: StreamMuxer, bucket: TokenBucket | null): StreamMuxer {
  const meter = new YamuxMeter()
  const source = async function* () {
    for await (const frame of muxer.source as AsyncIterable<Chunk>) {
      meter.sent(frame)
      yield frame
    }
  }
  return {
    protocol: muxer.protocol,
    get streams() {
      return muxer.streams
    },
    newStream: (name) => muxer.newStream(name),
    close: (options) => muxer.close(options),
    abort: (error) => muxer.abort(error),
    sink: (incoming) => muxer.sink(metered(incoming as AsyncIterable<Chunk>, meter, bucket, muxer)),
    source: source() as StreamMuxer['source'],
  }
}

async function* metered(source: AsyncIterable<Chunk>, meter: YamuxMeter, bucket: TokenBucket | null, muxer: StreamMuxer) {
  let sinceTurn = 0
  for await (const chunk of source) {
    const bytes = chunk.subarray()
    const cost = meter.received(bytes)
    if (meter.unansweredPings > MAX_UNANSWERED_PINGS || meter.longestFrame > MAX_FRAME_BYTES) {
      muxer.abort(new Error(`${meter.unansweredPings} pings whose answers are not read, a frame of ${meter.longestFrame} bytes`))
      return
    }
    if (bucket !== null && !bucket.tryTake(cost)) await bucket.take(cost)
    const pieceBytes = cost > WORK_IN_A_TURN ? DENSE_PIECE_BYTES : bytes.length
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      sinceTurn += Math.min(cost, WORK_IN_A_TURN)
      if (sinceTurn >= WORK_IN_A_TURN) {
        sinceTurn = 0
        await nextTurn()
      }
      yield bytes.subarray(at, at + pieceBytes)
    }
  }
}
