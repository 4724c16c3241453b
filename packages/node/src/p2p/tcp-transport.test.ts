import assert from 'node:assert/strict'
import type { ByteStream } from '@keelson/execution'
import { createTcpTransport } from './tcp-transport.ts'

const signal = new AbortController().signal

async function pair(): Promise<{ readonly dialled: ByteStream; readonly accepted: ByteStream; close(): Promise<void> }> {
  const transport = createTcpTransport('127.0.0.1', 0)
  let accept: (stream: ByteStream) => void = () => undefined
  const arriving = new Promise<ByteStream>((resolve) => {
    accept = resolve
  })
  const listening = await transport.listen((stream) => accept(stream))
  const dialled = await transport.dial('127.0.0.1', listening.port, signal)
  const accepted = await arriving
  return {
    dialled,
    accepted,
    close() {
      dialled.destroy()
      accepted.destroy()
      return listening.close()
    },
  }
}

async function readAll(stream: ByteStream): Promise<number> {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.length
  return bytes
}

describe('TCP of the execution network', () => {
  it('delivers all that was written before the end', async () => {
    const { dialled, accepted, close } = await pair()
    const reading = readAll(accepted)
    for (let i = 0; i < 40; i++) await dialled.write(new Uint8Array(250_000))
    dialled.end()
    assert.equal(await reading, 10_000_000)
    assert.equal(accepted.host, '127.0.0.1')
    await close()
  })

  it('makes a writer wait for a reader that is slow, and refuses when the connection closes', async () => {
    const { dialled, accepted, close } = await pair()
    let written = 0
    const writing = (async () => {
      for (let i = 0; i < 400; i++) {
        await dialled.write(new Uint8Array(250_000))
        written++
      }
    })()
    const refused = assert.rejects(writing, { code: 'EPIPE' })
    const [first] = [await accepted[Symbol.asyncIterator]().next()]
    assert.equal(first.done, false)
    assert.ok(written < 400)
    accepted.destroy()
    dialled.destroy()
    await refused
    await assert.rejects(dialled.write(Uint8Array.of(1)), { code: 'EPIPE' })
    await close()
  })

  it('rejects a dial that nobody answers, and one that is given up', async () => {
    const { dialled, close } = await pair()
    const { port } = dialled
    await close()
    const transport = createTcpTransport('127.0.0.1', 0)
    await assert.rejects(transport.dial('127.0.0.1', port, signal), { code: 'ECONNREFUSED' })
    await assert.rejects(transport.dial('127.0.0.1', port, AbortSignal.abort(new Error('stopping'))), /stopping/)
  })

  it('names the option when the port is taken', async () => {
    const transport = createTcpTransport('127.0.0.1', 0)
    const listening = await transport.listen((stream) => stream.destroy())
    const second = createTcpTransport('127.0.0.1', listening.port)
    await assert.rejects(
      second.listen((stream) => stream.destroy()),
      { code: 'runtime/port-in-use', message: /--p2p\.port/ },
    )
    await listening.close()
  })
})
