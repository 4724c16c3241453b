import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { listen, serverUrl } from './listen.ts'

describe('listening', () => {
  const options = { host: '127.0.0.1', port: 0, purpose: 'metrics', option: '--metrics.port' }

  it('selects a free port for 0 and returns it', async () => {
    const server = createServer()
    const address = await listen(server, options)
    assert.ok(address.port > 0)
    assert.equal(serverUrl('http', address), `http://127.0.0.1:${address.port}`)
    server.close()
  })

  it('names the port, its purpose, its holder and the option when the port is in use', async () => {
    const holder = createServer()
    const { port } = await listen(holder, options)
    await assert.rejects(listen(createServer(), { ...options, port }), (error: Error & { code: string }) => {
      assert.equal(error.code, 'runtime/port-in-use')
      // Only Linux tells who holds a port.
      const holderName = process.platform === 'linux' ? `process ${process.pid} \\(.+\\)` : 'another program'
      assert.match(
        error.message,
        new RegExp(
          `^port ${port} on 127\\.0\\.0\\.1 \\(metrics\\) is already in use by ${holderName}: stop that program, or choose another port with --metrics\\.port$`,
        ),
      )
      return true
    })
    holder.close()
  })

  it('reports an address that the machine does not have', async () => {
    await assert.rejects(listen(createServer(), { ...options, host: '192.0.2.1' }), {
      code: 'runtime/address-unavailable',
      message: /no address 192\.0\.2\.1/,
    })
  })

  it('puts brackets around IPv6 addresses', () => {
    assert.equal(serverUrl('ws', { address: '::1', family: 'IPv6', port: 8546 }), 'ws://[::1]:8546')
  })
})
