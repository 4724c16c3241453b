import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { yamux } from '@chainsafe/libp2p-yamux'
import { concatBytes, utf8ToBytes } from '@keelson/primitives'
import { createSystemClock } from '@keelson/runtime'
import type { StreamMuxer } from '@libp2p/interface'
import { defaultLogger } from '@libp2p/logger'
import { eventually } from '../../../../../test/support/eventually.ts'
import { newP2pNode, withNodes } from '../../../../../test/support/p2p-node.ts'
import { dialAsRawPeer } from '../../../../../test/support/raw-peer.ts'
import { createConnectionGuard } from './connection-guard.ts'

/** libp2p's negotiation of an unknown protocol with a name of one letter, and the length of the reply. */
const UNKNOWN = Uint8Array.of(2, 120, 10)
const HELLO = concatBytes(Uint8Array.of(19), utf8ToBytes('/multistream/1.0.0\n'))
const REFUSAL_BYTES = 4
const MAX_REFUSALS = 200

const flood = (times: number) => concatBytes(HELLO, ...Array<Uint8Array>(times).fill(UNKNOWN))

describe('a peer that causes needless work', () => {
  it('is disconnected after proposing a few unknown protocols before encryption', async () => {
    const node = newP2pNode({ seed: 0x71 })
    await withNodes([node], async () => {
      const socket = connect(Number(node.gossip.self().addresses[0]?.split('/')[4]), '127.0.0.1')
      let received = 0
      socket.on('data', (data) => {
        received += data.length
      })
      socket.on('error', () => undefined)
      socket.write(flood(4_000))
      await once(socket, 'close')
      assert.ok(received <= HELLO.length + MAX_REFUSALS * REFUSAL_BYTES, `${received} bytes of answers`)
    })
  })

  it('has its stream reset after proposing a few unknown protocols on it', async () => {
    const node = newP2pNode({ seed: 0x72 })
    await withNodes([node], async () => {
      const peer = await dialAsRawPeer(node.gossip.self().addresses[0] as string)
      try {
        const stream = await peer.openRaw()
        stream.sink([flood(4_000)]).catch(() => undefined)
        let received = 0
        const read = async () => {
          for await (const answer of stream.source) received += answer.byteLength
        }
        await read().catch(() => undefined)
        assert.ok(received <= HELLO.length + MAX_REFUSALS * REFUSAL_BYTES, `${received} bytes of answers`)
      } finally {
        await peer.stop()
      }
    })
  })

  it('is answered at the ping rate when it floods a ping stream', async () => {
    const node = newP2pNode({ seed: 0x73 })
    await withNodes([node], async () => {
      const peer = await dialAsRawPeer(node.gossip.self().addresses[0] as string)
      try {
        const stream = await peer.open('/ipfs/ping/1.0.0')
        stream.sink([new Uint8Array(64_000)]).catch(() => undefined)
        let echoed = 0
        const read = async () => {
          for await (const answer of stream.source) echoed += answer.byteLength
        }
        read().catch(() => undefined)
        await eventually('the first answers', async () => echoed >= 16 * 32)
        assert.ok(echoed < 6_400, `${echoed} bytes echoed`)
      } finally {
        await peer.stop()
      }
    })
  })
})

describe('a yamux connection', () => {
  /** Returns how many chunks a muxer accepts while nobody reads its output. */
  async function taken(chunk: (i: number) => Uint8Array, most: number): Promise<number> {
    const guard = createConnectionGuard({ clock: createSystemClock(), isTrusted: () => true })
    const muxer: StreamMuxer = guard.muxer(yamux())({ logger: defaultLogger() }).createStreamMuxer({ direction: 'inbound' })
    let pulled = 0
    const source = async function* () {
      while (pulled < most) yield chunk(pulled++)
    }
    await muxer.sink(source())
    return pulled
  }

  it('is closed when the peer pings and never reads the replies, so that they do not accumulate', async () => {
    const ping = Uint8Array.of(0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert.ok((await taken(() => ping, 5_000)) < 1_100)
  })

  it('is closed on a frame of four gigabytes for an unknown stream, which is not buffered', async () => {
    const header = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 7, 255, 255, 255, 255)
    assert.ok((await taken((i) => (i === 0 ? header : new Uint8Array(65_536)), 200)) <= 1)
  })
})
