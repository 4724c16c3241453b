import assert from 'node:assert/strict'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import type { Libp2p } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import { createLibp2p } from 'libp2p'
import { eventually } from '../../../../../test/support/eventually.ts'
import './promise-polyfill.ts'
import { MAX_STREAMS_OF_A_PEER, type RequestProtocol, sendRequest, serveRequests } from './request-streams.ts'

const protocol: RequestProtocol = {
  protocol: '/test/echo/0',
  aliases: ['/test/echo/0/'],
  maxRequestBytes: 8,
  maxAnswerBytes: 8,
  answer: async (request) => request,
}

describe('requests over streams', () => {
  let server: Libp2p
  let asker: Libp2p
  const newNode = () =>
    createLibp2p({
      addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux()],
    })
  before(async () => {
    ;[server, asker] = await Promise.all([newNode(), newNode()])
    await serveRequests(server, protocol)
  })
  after(() => Promise.all([server.stop(), asker.stop()]))
  const ask = async (name: string, data: Uint8Array) => {
    const connection = await asker.dial(server.getMultiaddrs())
    return sendRequest(connection, { ...protocol, protocol: name }, data, new AbortController().signal)
  }

  it('are answered under each name of the protocol, and under no other', async () => {
    const data = Uint8Array.of(1, 2, 3)
    assert.deepEqual(await ask('/test/echo/0', data), data)
    assert.deepEqual(await ask('/test/echo/0/', data), data)
    await assert.rejects(ask('/test/echo/1', data), { name: 'UnsupportedProtocolError' })
  })

  it('of one peer share one limit over all names of the protocol', async () => {
    const connection = await asker.dial(server.getMultiaddrs())
    const names = ['/test/echo/0', '/test/echo/0/']
    const silent = await Promise.all(Array.from({ length: MAX_STREAMS_OF_A_PEER }, (_, i) => connection.newStream(names[i % 2] as string)))
    for (const name of names) await assert.rejects(ask(name, Uint8Array.of(1)))
    for (const stream of silent) stream.abort(new Error('enough'))
    await eventually('places become free', async () => (await ask(names[0] as string, Uint8Array.of(1)).catch(() => [])).length === 1)
  })

  it('that are too long get no answer', async () => {
    await assert.rejects(ask('/test/echo/0', new Uint8Array(9)))
  })
})
