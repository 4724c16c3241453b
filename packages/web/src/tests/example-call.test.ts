import assert from 'node:assert/strict'
import { exampleCall } from '../client/pages/agents/example-call.ts'

const URL = 'http://127.0.0.1:8080/api/platform/mcp'

/** The body of the command, as a shell reads it. */
const bodyOf = (command: string) => JSON.parse((/ -d '(.*)'$/.exec(command)?.[1] ?? '').replaceAll("'\\''", "'"))

describe('the example call of a tool', () => {
  it('has every required argument and no other, with a value of the schema where there is one', () => {
    const inputSchema = {
      properties: {
        symbol: { type: 'string', examples: ["it's ETH"] },
        side: { enum: ['buy', 'sell'] },
        amount: { type: 'number', minimum: 5 },
        limit: { anyOf: [{ type: 'integer', default: 10 }, { type: 'null' }] },
        wallet: { type: ['string', 'null'] },
        note: { type: 'string' },
      },
      required: ['symbol', 'side', 'amount', 'limit', 'wallet'],
    }
    const command = exampleCall({ name: 'get_quote', inputSchema }, URL)
    assert.ok(command.startsWith(`curl -s ${URL} -H 'content-type: application/json'`))
    assert.deepEqual(bodyOf(command), {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_quote', arguments: { symbol: "it's ETH", side: 'buy', amount: 5, limit: 10, wallet: 'WALLET' } },
    })
  })

  it('has no arguments where none are required', () => {
    assert.deepEqual(bodyOf(exampleCall({ name: 'ping', inputSchema: {} }, URL)).params, { name: 'ping', arguments: {} })
  })
})
