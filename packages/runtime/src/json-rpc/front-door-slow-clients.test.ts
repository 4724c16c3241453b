import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { type IpNetwork, parseIpNetwork } from '../http/ip-address.ts'
import { type Answer, answerOf, call, closeFrontDoors, post, rawConnection, serveFrontDoor } from './front-door.test-support.ts'

const network = (text: string) => parseIpNetwork(text) as IpNetwork

describe('the front door of the RPC, against slow and greedy clients', () => {
  afterEach(closeFrontDoors)

  it('does not wait long for headers or for a body', async () => {
    const { server } = await serveFrontDoor({ connections: { headersTimeoutMs: 300, requestTimeoutMs: 600 } })
    const silent = await rawConnection(server)
    const dripping = await rawConnection(server)
    dripping.socket.write('POST / HTTP/1.1\r\nhost: localhost\r\n')
    const drip = setInterval(() => dripping.socket.write('x-a: b\r\n'), 50)
    const halfBody = await rawConnection(server)
    halfBody.socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{')
    await Promise.all([silent.closed, dripping.closed, halfBody.closed])
    clearInterval(drip)
    assert.match(dripping.text(), /^HTTP\/1\.1 408 /)
    assert.match(halfBody.text(), /^HTTP\/1\.1 408 /)
  })

  it('does not wait long for a client to read a response', async () => {
    const { server } = await serveFrontDoor({ connections: { writeTimeoutMs: 1_000, maxMemoryBytes: 20_000_000 } }, null)
    const lazy = await rawConnection(server)
    lazy.socket.pause()
    const body = call('big', [15_000_000])
    lazy.socket.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    // On a busy machine, this response too may miss its time limit.
    const other = () =>
      post(server, call('big', [10_000_000])).then(
        ({ status }) => status,
        () => 'cut',
      )
    while ((await other()) !== 503) await new Promise((resolve) => setImmediate(resolve))
    while ((await other()) !== 200) await new Promise((resolve) => setImmediate(resolve))
    lazy.socket.resume()
    await lazy.closed
    assert.ok(lazy.text().length < 15_000_000)
  })

  it('limits the connections of one address, except trusted ones', async () => {
    const { server } = await serveFrontDoor({ connections: { maxPerAddress: 2 } })
    const first = await rawConnection(server)
    await rawConnection(server)
    const refused = await rawConnection(server)
    await refused.closed
    assert.match(refused.text(), /^HTTP\/1\.1 503 .*retry-after: 1\r\n.*limit of 2 open connections/s)
    first.socket.destroy()
    await first.closed
    const answered = async () => {
      try {
        return (await post(server, call('echo'))).status
      } catch {
        return 'cut'
      }
    }
    while ((await answered()) !== 200) await new Promise((resolve) => setImmediate(resolve))
    const { server: open } = await serveFrontDoor({ connections: { maxPerAddress: 1 } }, { trusted: [network('127.0.0.1')] })
    await rawConnection(open)
    assert.equal((await post(open, call('echo'))).status, 200)
  })

  it('limits the bytes of all requests and responses together', async () => {
    const { server } = await serveFrontDoor({ connections: { maxMemoryBytes: 10_000 } }, null)
    const holder = httpRequest(server.httpUrl, { method: 'POST', headers: { 'content-type': 'application/json' } })
    holder.write(' '.repeat(6_000))
    let refused: Answer
    do refused = await post(server, call('echo', ['x'.repeat(5_000)]))
    while (refused.status === 200)
    assert.equal(refused.status, 503)
    assert.equal(refused.headers['retry-after'], '1')
    holder.end(call('echo', ['late']))
    assert.match(String((await answerOf(holder)).body), /late/)
    assert.equal((await post(server, call('big', [20_000]))).status, 503)
    for (let i = 0; i < 20; i++) assert.equal((await post(server, call('echo', ['x'.repeat(4_000)]))).status, 200)
  })
})
