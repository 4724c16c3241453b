import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpRpcClient } from '@keelson/client'
import { createSilentLogger, createSystemClock, createSystemRandom } from '@keelson/runtime'
import { readBlockTimeSec } from './block-time.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const block = (number: number, timestamp: number) => ({
  number: `0x${number.toString(16)}`,
  parentHash: hash('a'),
  timestamp: `0x${timestamp.toString(16)}`,
})

describe('the block time that validator commands count with', () => {
  const readFrom = async (latest: object, parent: object | null) => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
        const isParent = method === 'eth_getBlockByHash' && params[0] === hash('a')
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id, result: isParent ? parent : latest }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const deps = { clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger() }
    try {
      return await readBlockTimeSec(createHttpRpcClient({ url }, deps))
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('is the time between the two newest blocks', async () => {
    assert.equal(await readFrom(block(90, 1_001), block(89, 1_000)), 1)
    assert.equal(await readFrom(block(90, 1_012), block(89, 1_000)), 12)
  })

  it('is two seconds for a chain of one block', async () => {
    assert.equal(await readFrom(block(0, 1_000), null), 2)
  })
})
